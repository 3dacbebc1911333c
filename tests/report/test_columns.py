"""Columns on screens of every width: none is cut, those that matter least give way."""

from __future__ import annotations

import pytest
from rich.text import Text

from orchestrator.core.plan import Mode
from orchestrator.report.columns import Tail, fitting_table
from orchestrator.report.plan.table import render as plan_table
from orchestrator.report.results import results_table
from orchestrator.report.screen import Screen, render
from tests.report.samples import plan, results

ROWS = [
    {"name": Text("gateway"), "node": Text("a-long-name-of-a-node"), "why": Text("because of this")},
    {"name": Text("a"), "node": Text("b"), "why": Text("")},
]
TAIL = Tail("why", 10)


def shown(width: int, tail: Tail = TAIL) -> list[str]:
    return render(fitting_table(ROWS, width, ("node",), tail), Screen(width)).splitlines()


def test_where_there_is_room_every_column_is_there() -> None:
    assert shown(60)[:2] == ["name     node                   why", "gateway  a-long-name-of-a-node  because of this"]


def test_the_tail_folds_or_is_cut() -> None:
    assert shown(45)[1:3] == ["gateway  a-long-name-of-a-node  because of", "                                this"]
    assert shown(45, Tail("why", 10, folds=False))[1] == "gateway  a-long-name-of-a-node  because of t…"


def test_spare_columns_give_way_to_the_tail_and_the_tail_to_the_rest() -> None:
    assert shown(30)[:2] == ["name     why", "gateway  because of this"]
    assert shown(12)[:2] == ["name", "gateway"]


def test_without_rows_there_is_no_table() -> None:
    assert render(fitting_table([], 80, ()), Screen(80)).strip() == ""


@pytest.mark.parametrize("width", [40, 50, 60, 80, 100])
def test_plans_and_results_are_readable_on_every_width(width: int) -> None:
    """The id, outcome and mode of every cell stand there whole, and no line is longer than the screen."""
    built, planned = results_table(results(), Screen(width)), plan_table(plan(), Screen(width))
    assert all(f"{cell.id}  {cell.outcome}" in built.replace("   ", "  ") for cell in results().cells)
    assert all(f"{cell.id.platform}  {cell.mode}" in planned for cell in plan().cells if cell.mode is not Mode.CROSS)
    assert all(len(line) <= width for line in (built + planned).splitlines())
