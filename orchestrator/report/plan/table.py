"""A plan as a table: one row a cell, grouped by wave, with the reason for its node and mode."""

from __future__ import annotations

from rich.console import Group
from rich.table import Table
from rich.text import Text

from orchestrator.core.finding import Finding, Severity
from orchestrator.core.plan import Base, Cell, Mode, Plan, TagNow
from orchestrator.report.columns import Tail, fitting_table
from orchestrator.report.errors import finding_line
from orchestrator.report.screen import Screen
from orchestrator.report.screen import render as render_text
from orchestrator.report.summary import plan_sentence, seconds, short

MODE_STYLES = {
    Mode.NATIVE: "green",
    Mode.CROSS: "green",
    Mode.COMPAT: "green",
    Mode.EMULATED: "yellow",
    Mode.SYSTEM_EMULATED: "yellow",
    Mode.IMPOSSIBLE: "bold red",
}

_WHY = Tail("why", 20)


def render(plan: Plan, screen: Screen) -> str:
    """Cells, base images, findings, and one sentence."""
    parts = [
        _cells(plan, screen.width),
        *([_bases(plan.bases)] if plan.bases else []),
        *([_tags(plan.tags)] if plan.tags else []),
    ]
    parts += [Text(finding_line(finding), style=_style(finding)) for finding in plan.findings]  # type: ignore[misc]
    return render_text(Group(*parts, Text(plan_sentence(plan), style="bold")), screen)


def _style(finding: Finding) -> str:
    return {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}[finding.severity]


def _cells(plan: Plan, width: int) -> Table:
    services = ["", *(cell.id.service for cell in plan.cells)]
    rows = [
        _row(cell, show_service=cell.id.service != above) for cell, above in zip(plan.cells, services, strict=False)
    ]
    return fitting_table(rows, width, ("node", "needs"), _WHY)


def _row(cell: Cell, *, show_service: bool) -> dict[str, Text]:
    needs = ", ".join(sorted({need.service for need in cell.needs}))
    estimate = f" (about {seconds(cell.estimate_seconds)})" if cell.estimate_seconds else ""
    why = f"unchanged: published as {short(cell.unchanged_digest)}" if cell.unchanged else f"{cell.why}{estimate}"
    return {
        "wave": Text(str(cell.wave) if show_service else ""),
        "service": Text(cell.id.service if show_service else "", style="bold"),
        "platform": Text(str(cell.id.platform)),
        "mode": Text(cell.mode.value, style=MODE_STYLES[cell.mode]),
        "node": Text(cell.node or "-"),
        "needs": Text(needs if show_service else ""),
        "why": Text(why, style="dim"),
    }


def _bases(bases: tuple[Base, ...]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", title_justify="left")
    for heading in ("base image", "digest", "platforms", "used by"):
        table.add_column(heading, overflow="fold")
    for base in bases:
        platforms = ", ".join(str(entry.platform) for entry in base.platforms)
        table.add_row(base.reference.familiar, short(base.digest), platforms, ", ".join(base.used_by))
    return table


def _tags(tags: tuple[TagNow, ...]) -> Table:
    """What the tags point at before the build."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("tag", "now"):
        table.add_column(heading, overflow="fold")
    for tag in tags:
        table.add_row(tag.reference, Text(tag.unknown or short(tag.digest), style="yellow" if tag.unknown else ""))
    return table
