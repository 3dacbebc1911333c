"""A plan as Markdown, for step summaries: services by platforms."""

from __future__ import annotations

from orchestrator.core.plan import Cell, Mode, Plan
from orchestrator.report.findings.markdown import cell as text_cell
from orchestrator.report.screen import Screen
from orchestrator.report.summary import plan_sentence

_SIGNS = {Mode.EMULATED: "🐢 ", Mode.SYSTEM_EMULATED: "🐢 ", Mode.IMPOSSIBLE: "❌ "}


def render(plan: Plan, screen: Screen) -> str:  # noqa: ARG001
    """A heading, a table of services and platforms, and the findings."""
    platforms = tuple(dict.fromkeys(cell.id.platform for cell in plan.cells))
    head = " | ".join(str(platform) for platform in platforms)
    rows = [f"| wave | service | {head} |", "|---|---|" + "---|" * len(platforms)]
    for planned in plan.services:
        cells = {cell.id.platform: cell for cell in plan.cells_of(planned.service.name)}
        columns = " | ".join(_cell(cells[platform]) if platform in cells else "" for platform in platforms)
        rows.append(f"| {planned.wave} | {planned.service.name} | {columns} |")
    notes = [f"- `{finding.path}:{finding.line}` {text_cell(finding.message)}" for finding in plan.findings]
    return "\n".join(["### Plan", "", *rows, "", *notes, plan_sentence(plan), ""])


def _cell(cell: Cell) -> str:
    if cell.unchanged:
        return "unchanged"
    return f"{_SIGNS.get(cell.mode, '')}{cell.mode} on {cell.node or '-'}"
