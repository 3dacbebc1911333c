"""Everything that a format needs to show findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from orchestrator.core.finding import Confidence, Finding, RuleInfo
from orchestrator.report.screen import Screen


@dataclass(frozen=True, slots=True)
class View:
    """Findings in the order to show them, the rules behind them, and the lines of the files they point into.

    `sources` maps a path, as findings name it, to its lines; `checked` says in words what was looked at.
    """

    title: str
    findings: tuple[Finding, ...]
    rules: tuple[RuleInfo, ...]
    checked: str
    version: str
    screen: Screen = field(default_factory=Screen)
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cases: tuple[str, ...] = ()

    def source_line(self, path: str, line: int) -> str:
        """A line of a file without its line end; empty where the file is not known."""
        lines = self.sources.get(path, ())
        return lines[line - 1].rstrip("\r\n") if 1 <= line <= len(lines) else ""


def place(finding: Finding) -> str:
    """Where a finding is, in one word: a file position, or a platform and the file inside the image."""
    if finding.path and finding.line:
        return f"{finding.path}:{finding.line}:{finding.column}"
    inside = f"/{finding.file.lstrip('/')}" if finding.file else ""
    return " ".join(part for part in (finding.path, finding.platform, inside) if part)


def label(finding: Finding) -> str:
    """Severity and rule in words: `error MA301 download-architecture`."""
    unsure = " (low confidence)" if finding.confidence is Confidence.LOW else ""
    return f"{finding.severity} {finding.rule} {finding.name}{unsure}"
