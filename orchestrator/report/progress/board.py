"""The live board: one row a task with its state, node, mode, step and time, and how far the whole is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TextIO

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.live import Live
from rich.text import Text

from orchestrator.core.event import Event, Listener, Phase
from orchestrator.report.columns import Tail, fitting_table
from orchestrator.report.progress.task import ENDED, RUNNING, Row, Task, after
from orchestrator.report.screen import Screen, console
from orchestrator.report.summary import seconds

_STYLES = {
    Phase.WAITING: "dim",
    Phase.BUILDING: "blue",
    Phase.RETRYING: "yellow",
    Phase.VERIFYING: "blue",
    Phase.PUBLISHING: "blue",
    Phase.BUILT: "green",
    Phase.UNCHANGED: "cyan",
    Phase.FAILED: "bold red",
    Phase.SKIPPED: "yellow",
}
_OTHER_LINES = 3
"""Heading, closing line, and the line of the cursor."""
_DOING = Tail("", 16, folds=False)
_SPARE = ("node", "step", "mode")


class Board:
    """The rows, changed by events from any thread, drawn whenever rich asks."""

    def __init__(self, tasks: tuple[Task, ...], clock: Callable[[], float]) -> None:
        self._rows = {task.name: Row(task) for task in tasks}
        self._clock = clock
        self._lock = Lock()
        self._began = clock()

    def listen(self, event: Event) -> None:
        """Take an event in."""
        with self._lock:
            row = self._rows.get(event.task)
            if row is not None:
                self._rows[event.task] = after(row, event, self._clock())

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        with self._lock:
            rows = list(self._rows.values())
        now = self._clock()
        shown = [_columns(row, now) for row in _shown(rows, max(1, console.height - _OTHER_LINES))]
        table = fitting_table(shown, options.max_width, _SPARE, _DOING)
        yield Group(table, _closing(rows, now - self._began))


@contextmanager
def show(tasks: tuple[Task, ...], stream: TextIO, screen: Screen) -> Iterator[Listener]:
    """Draw the board over itself while the context is open, and leave its last state standing."""
    board = Board(tasks, time.monotonic)
    with Live(board, console=console(screen, stream), refresh_per_second=8, vertical_overflow="visible"):
        yield board.listen


def _shown(rows: list[Row], most: int) -> list[Row]:
    """All rows where they fit, else those that run first, then failed, waiting and ended ones."""
    if len(rows) <= most:
        return rows
    order = sorted(rows, key=lambda row: (row.phase not in RUNNING, row.phase is not Phase.FAILED, row.phase in ENDED))
    return order[:most]


def _columns(row: Row, now: float) -> dict[str, Text]:
    step = f"{row.step}/{row.steps}" if row.steps and row.phase in RUNNING else ""
    taken = row.seconds(now)
    tries = f"try {row.attempts}: " if row.attempts > 1 else ""
    cached = f"{row.cached} cached" if row.cached and row.phase in ENDED else ""
    now_doing = row.step_name if row.phase in RUNNING else row.detail or cached
    return {
        "task": Text(row.task.name, style="bold"),
        "state": Text(row.phase.value, style=_STYLES[row.phase]),
        "node": Text(row.task.node),
        "mode": Text(row.task.mode, style="yellow" if "emulated" in row.task.mode else ""),
        "step": Text(step),
        "time": Text(f"{seconds(taken) if taken else '':>6}"),
        "": Text(f"{tries}{now_doing}", style="dim"),
    }


def _closing(rows: list[Row], elapsed: float) -> Text:
    ended = sum(row.phase in ENDED for row in rows)
    width = 30
    filled = round(width * ended / len(rows)) if rows else width
    bar = Text.assemble(("━" * filled, "green"), ("━" * (width - filled), "dim"))
    return Text.assemble(bar, f" {ended}/{len(rows)} in {seconds(elapsed)}{_left(rows)}")


def _left(rows: list[Row]) -> str:
    waiting = [row.task.estimate for row in rows if row.phase not in ENDED]
    known = [estimate for estimate in waiting if estimate]
    return f", about {seconds(max(known))} left" if known and len(known) == len(waiting) else ""
