"""How long a plan takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.plan import Cell, CellId, Mode
from orchestrator.core.platform import LINUX_ARM64
from orchestrator.planning.estimate import critical_path, makespan, outlook, remaining, seconds
from tests.planning.fleets import AMD64_NODE, node

_ID = CellId("api", LINUX_ARM64)


def _cell(
    name: str, duration: float, *needs: str, mode: Mode = Mode.NATIVE, wave: int = 0, unchanged: str = ""
) -> Cell:
    parents = tuple(CellId(need, LINUX_ARM64) for need in needs)
    identity = CellId(name, LINUX_ARM64)
    return Cell(identity, "here", mode, "", wave, parents, unchanged_digest=unchanged, estimate_seconds=duration)


def _names(cells: tuple[CellId, ...]) -> list[str]:
    return [cell.service for cell in cells]


@pytest.mark.parametrize(
    ("known", "mode", "slowdown", "expected"),
    [
        ({Mode.EMULATED: 80.0, Mode.NATIVE: 1.0}, Mode.EMULATED, 5.0, 80.0),
        ({Mode.NATIVE: 10.0}, Mode.EMULATED, 5.0, 50.0),
        ({Mode.NATIVE: 10.0}, Mode.EMULATED, 0.0, 80.0),
        ({Mode.EMULATED: 80.0}, Mode.NATIVE, 1.0, 10.0),
        ({}, Mode.NATIVE, 1.0, 0.0),
    ],
)
def test_another_mode_is_converted_by_the_slowdown(
    known: dict[Mode, float], mode: Mode, slowdown: float, expected: float
) -> None:
    history = {(_ID, seen): value for seen, value in known.items()}
    assert seconds(_ID, mode, slowdown, history) == expected


def test_the_longest_way_to_the_end_decides_the_order() -> None:
    cells = (_cell("a", 1), _cell("b", 5), _cell("c", 10, "a", wave=1))
    longest = remaining(cells)
    assert [longest[cell.id] for cell in cells] == [11, 5, 10]
    assert _names(critical_path(cells)) == ["a", "c"]


def test_the_expected_end_counts_the_places_of_a_node() -> None:
    cells = tuple(_cell(name, 10) for name in "abcd")
    assert makespan(cells, (node("here", parallel=1),), {}) == 40
    assert makespan(cells, (node("here", parallel=4),), {}) == 10


def test_unchanged_cells_take_no_time_and_unknown_ones_are_counted() -> None:
    cells = (_cell("a", 10, unchanged="sha256:1"), _cell("b", 0, "a", wave=1), _cell("c", 4))
    found = outlook(cells, (AMD64_NODE,))
    assert (found.seconds, found.unknown) == (4, 1)


def test_a_native_node_would_save_what_the_emulation_costs() -> None:
    found = outlook((_cell("a", 80, mode=Mode.EMULATED), _cell("b", 10)), (AMD64_NODE,))
    assert (found.seconds, found.native_saving) == (90, 70)


@given(
    st.lists(st.tuples(st.integers(1, 20), st.lists(st.integers(0, 30), max_size=3)), min_size=1, max_size=25),
    st.integers(1, 4),
)
def test_no_schedule_is_shorter_than_its_bounds_or_longer_than_one_after_another(
    shape: list[tuple[int, list[int]]], parallel: int
) -> None:
    cells: list[Cell] = []
    waves: dict[str, int] = {}
    for number, (duration, links) in enumerate(shape):
        needs = sorted({f"s{link % number}" for link in links}) if number else []
        waves[f"s{number}"] = max((waves[need] + 1 for need in needs), default=0)
        cells.append(_cell(f"s{number}", float(duration), *needs, wave=waves[f"s{number}"]))
    found = makespan(tuple(cells), (node("here", parallel=parallel),), {})
    work = sum(cell.estimate_seconds for cell in cells)
    path = max(remaining(cells).values())
    assert max(path, work / parallel) - 1e-6 <= found <= work + 1e-6
    assert found <= work / parallel + path + 1e-6
    way = critical_path(tuple(cells))
    assert sum(cell.estimate_seconds for cell in cells if cell.id in way) == pytest.approx(path)
