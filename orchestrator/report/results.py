"""How the end of a build or a publication looks: a table, JSON, and Markdown for a step summary."""

from __future__ import annotations

from rich.console import Group
from rich.table import Table
from rich.text import Text

from orchestrator.core.result import CellResult, IndexResult, Outcome, Results, TagMove
from orchestrator.report.columns import fitting_table
from orchestrator.report.plan.table import MODE_STYLES
from orchestrator.report.screen import Screen, render
from orchestrator.report.shapes import document
from orchestrator.report.summary import plural, seconds, short

OUTCOME_STYLES = {
    Outcome.BUILT: "green",
    Outcome.UNCHANGED: "cyan",
    Outcome.FAILED: "bold red",
    Outcome.SKIPPED: "yellow",
}


def results_json(results: Results) -> str:
    """The documented shape of `build` and `publish`."""
    return document(
        {
            "cells": [_cell_fields(cell) for cell in results.cells],
            "indexes": [_index_fields(index) for index in results.indexes],
            "summary": {outcome.value: _count(results, outcome) for outcome in Outcome},
        }
    )


def _count(results: Results, outcome: Outcome) -> int:
    return sum(cell.outcome is outcome for cell in results.cells)


def _cell_fields(cell: CellResult) -> dict[str, object]:
    return {
        "id": str(cell.id),
        "outcome": cell.outcome.value,
        "digest": cell.digest or None,
        "node": cell.node or None,
        "mode": cell.mode.value,
        "attempts": cell.attempts,
        "seconds": round(cell.seconds, 3),
        "reason": cell.reason or None,
    }


def _index_fields(index: IndexResult) -> dict[str, object]:
    return {
        "service": index.service,
        "digest": index.digest or None,
        "tags": [{"reference": tag.reference, "old": tag.old or None, "new": tag.new} for tag in index.tags],
        "outcome": index.outcome.value,
        "reason": index.reason or None,
    }


def results_table(results: Results, screen: Screen) -> str:
    """Cells, tags that moved, and a closing line."""
    parts = [_cells(results, screen.width), *([_tags(results)] if any(index.tags for index in results.indexes) else [])]
    reasons = [*_reasons(results), *(_index_reason(index) for index in results.indexes if not index.outcome.is_good)]
    return render(Group(*parts, *reasons, Text(results_sentence(results), style="bold")), screen)


def _reasons(results: Results) -> list[Text]:
    """Why cells ended as they did; what several have in common is said once."""
    cells: dict[tuple[Outcome, str], list[str]] = {}
    for cell in results.cells:
        if cell.reason:
            cells.setdefault((cell.outcome, cell.reason), []).append(str(cell.id))
    return [
        Text(f"{', '.join(names)}: {reason}", style=OUTCOME_STYLES[outcome])
        for (outcome, reason), names in cells.items()
    ]


def _index_reason(index: IndexResult) -> Text:
    return Text(f"{index.service}: {index.reason or index.outcome}", style=OUTCOME_STYLES[index.outcome])


def results_sentence(results: Results) -> str:
    """The end in one line."""
    cells = ", ".join(f"{_count(results, outcome)} {outcome}" for outcome in Outcome if _count(results, outcome))
    moved = sum(tag.old != tag.new for index in results.indexes for tag in index.tags)
    return f"{plural(len(results.cells), 'cell')}: {cells or 'none'}; {plural(moved, 'tag')} moved"


def _cells(results: Results, width: int) -> Table:
    rows = [
        {
            "cell": Text(str(cell.id)),
            "outcome": Text(cell.outcome.value, style=OUTCOME_STYLES[cell.outcome]),
            "mode": Text(cell.mode.value, style=MODE_STYLES[cell.mode]),
            "node": Text(cell.node or "-"),
            "digest": Text(short(cell.digest)),
            "time": Text(seconds(cell.seconds) if cell.seconds else "-"),
        }
        for cell in results.cells
    ]
    return fitting_table(rows, width, ("node", "digest", "mode"))


def _tags(results: Results) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("tag", "before", "now"):
        table.add_column(heading, overflow="fold")
    for index in results.indexes:
        for tag in index.tags:
            table.add_row(tag.reference, short(tag.old), _now(tag))
    return table


def _now(tag: TagMove) -> Text:
    return Text("same", style="dim") if tag.old == tag.new else Text(short(tag.new), style="green")


def failure_text(cell: CellResult) -> str:
    """What is shown of a failed cell: the reason and the last lines of the step that failed."""
    lines = [f"{cell.id} failed: {cell.reason}", *(f"  | {line}" for line in cell.log)]
    return "".join(f"{line}\n" for line in lines)


def results_markdown(results: Results) -> str:
    """Tables for a step summary."""
    rows = "".join(
        f"| {cell.id} | {cell.outcome} | {cell.mode} on {cell.node or '-'} "
        f"| `{short(cell.digest)}` | {seconds(cell.seconds)} |\n"
        for cell in results.cells
    )
    tags = "".join(
        f"| `{tag.reference}` | `{short(tag.old)}` | `{short(tag.new)}` |\n"
        for index in results.indexes
        for tag in index.tags
    )
    moved = f"\n| tag | before | now |\n|---|---|---|\n{tags}" if tags else ""
    head = "### Build\n\n| cell | outcome | where | digest | time |\n|---|---|---|---|---|\n"
    return f"{head}{rows}{moved}\n{results_sentence(results)}\n"
