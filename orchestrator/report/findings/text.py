"""Findings for people: place, sentence, the source line with a caret below it, and the fix."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from orchestrator.core.finding import Finding, Severity, counts
from orchestrator.report.findings.view import View, label, place
from orchestrator.report.screen import indented
from orchestrator.report.screen import render as render_text

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}
_LONGEST_SOURCE = 200


def render(view: View) -> str:
    """All findings and a closing line that counts them."""
    blocks = [block for finding in view.findings for block in (*_finding(finding, view), Text(""))]
    return render_text(Group(*blocks, _closing(view)), view.screen)


def _finding(finding: Finding, view: View) -> list[RenderableType]:
    head = Text.assemble((place(finding), "bold"), ": ", (label(finding), _STYLES[finding.severity]))
    below = []
    if finding.cause:
        below.append(Text.assemble(("cause: ", "bold"), finding.cause))
    if finding.fix:
        kind = "fix" if finding.fix.safe else "fix (look at it)"
        below.append(Text.assemble((f"{kind}: ", "bold green"), finding.fix.title))
    below += [Text(f"see {other.path}:{other.line}: {other.message}", style="dim") for other in finding.related]
    return [head, indented(Text(finding.message)), *_excerpt(finding, view), *map(indented, below)]


def _excerpt(finding: Finding, view: View) -> list[Text]:
    source = view.source_line(finding.path, finding.line)
    if not source.strip():
        return []
    gutter = f"{finding.line:>6} | "
    start = max(finding.column - 1, 0)
    end = finding.end_column - 1 if finding.end_line == finding.line else len(source)
    cut = max(0, start - _LONGEST_SOURCE // 2)
    shown = source[cut : cut + _LONGEST_SOURCE].replace("\t", " ")
    width = max(1, min(end, cut + len(shown)) - start)
    caret = f"{' ' * (len(gutter) - 2)}| {' ' * (start - cut)}{'^' * width}"
    return [Text(gutter + shown, style="dim"), Text(caret, style=_STYLES[finding.severity])]


def _closing(view: View) -> Text:
    number = counts(view.findings)
    if not view.findings:
        return Text.assemble(("no findings", "bold green"), f" in {view.checked}")
    parts = [f"{count} {name}{'s' if count != 1 else ''}" for name, count in number.items() if count]
    return Text(f"{', '.join(parts)} in {view.checked}", style="bold")
