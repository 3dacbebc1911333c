"""How errors look: one line with its hint, the findings behind it, and the report of a fault in mabuild itself."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from orchestrator.core.errors import DockerfileError, MabuildError, ManifestError, PlanError
from orchestrator.core.finding import Finding
from orchestrator.report.findings.github import annotation, escape
from orchestrator.report.screen import Screen

_REDACTED_OPTIONS = ("--set", "--secret")


def error_text(error: MabuildError, screen: Screen) -> str:
    """What is printed for an error that a user can mend."""
    lines = [finding_line(finding) for finding in _findings(error)]
    if not isinstance(error, ManifestError):
        lines.append(f"{_red('error', screen)}: {error if isinstance(error, DockerfileError) else error.message}")
    if error.hint:
        lines.append(f"  hint: {error.hint}")
    return "".join(f"{line}\n" for line in lines)


def error_annotations(error: MabuildError) -> str:
    """The error as annotations of a GitHub Actions job, on the lines of the files where it has some."""
    where = f" file={error.path},line={error.line}" if isinstance(error, DockerfileError) and error.path else ""
    whole = [] if isinstance(error, ManifestError) else [f"::error{where}::{escape(error.message)}"]
    return "".join(f"{line}\n" for line in (*map(annotation, _findings(error)), *whole))


def finding_line(finding: Finding) -> str:
    """`file:line:column: message`, with the other places on lines of their own."""
    place = f"{finding.path}:{finding.line}:{finding.column}: " if finding.path else ""
    related = "".join(f"\n  {other.path}:{other.line}: {other.message}" for other in finding.related)
    return f"{place}{finding.severity}: {finding.message}{related}"


def _findings(error: MabuildError) -> tuple[Finding, ...]:
    return error.findings if isinstance(error, ManifestError | PlanError) else ()


def _red(text: str, screen: Screen) -> str:
    return f"\x1b[1;31m{text}\x1b[0m" if screen.color else text


def fault_report(error: Exception, arguments: Sequence[str], version: str) -> str:
    """A report in Markdown that can be pasted into an issue; values of options that may be secret are left out."""
    trace = "".join(traceback.format_exception(error))
    return (
        f"### mabuild {version}: {type(error).__name__}\n\n"
        f"- command: `mabuild {' '.join(_redacted(arguments))}`\n"
        f"- Python {sys.version.split()[0]} on {platform.platform()}\n\n```\n{trace}```\n"
    )


def _redacted(arguments: Sequence[str]) -> list[str]:
    shown = []
    hide = False
    for argument in arguments:
        shown.append("…" if hide else argument)
        hide = argument in _REDACTED_OPTIONS
    return shown


def write_fault_report(text: str, directory: Path) -> str:
    """Write the report to a new file in a folder, and give its path."""
    handle, path = tempfile.mkstemp(prefix="mabuild-fault-", suffix=".md", dir=directory)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    return path
