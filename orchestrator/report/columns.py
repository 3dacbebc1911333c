"""Tables for screens of any width: columns keep their whole width, and the least important ones give way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rich.table import Table
from rich.text import Text

_GAP = 2


@dataclass(frozen=True, slots=True)
class Tail:
    """The last column, which gets what is left, and is left out where less than `least` is."""

    heading: str
    least: int
    folds: bool = True


NO_TAIL: Final = Tail("no heading of any table", 0)


def fitting_table(rows: Sequence[Mapping[str, Text]], width: int, spare: Sequence[str], tail: Tail = NO_TAIL) -> Table:
    """One row a line, without those of the `spare` columns that do not fit into `width`, the first one first."""
    widths = _widths(rows, tail.heading)
    has_tail = bool(rows) and tail.heading in rows[0]
    for heading in spare:
        if _taken(widths) + (tail.least if has_tail else -_GAP) > width:
            widths.pop(heading)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, needed in widths.items():
        table.add_column(heading, no_wrap=True, min_width=needed)
    rest = width - _taken(widths)
    if has_tail and rest >= tail.least:
        widths[tail.heading] = rest
        overflow: Literal["fold", "ellipsis"] = "fold" if tail.folds else "ellipsis"
        table.add_column(tail.heading, overflow=overflow, no_wrap=not tail.folds, max_width=rest)
    for row in rows:
        table.add_row(*(row[heading] for heading in widths))
    return table


def _widths(rows: Sequence[Mapping[str, Text]], tail: str) -> dict[str, int]:
    headings = [heading for heading in rows[0] if heading != tail] if rows else []
    return {heading: max(len(heading), *(row[heading].cell_len for row in rows)) for heading in headings}


def _taken(widths: Mapping[str, int]) -> int:
    """The room of columns and of the gaps behind them."""
    return sum(needed + _GAP for needed in widths.values())
