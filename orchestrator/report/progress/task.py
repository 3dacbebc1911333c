"""The rows of a board: what a task is before it runs, and what events make of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from orchestrator.core.event import Event, Line, Notice, Phase, StateChanged, Step

ENDED = frozenset({Phase.BUILT, Phase.UNCHANGED, Phase.FAILED, Phase.SKIPPED})
RUNNING = frozenset({Phase.BUILDING, Phase.RETRYING, Phase.VERIFYING, Phase.PUBLISHING})


@dataclass(frozen=True, slots=True)
class Task:
    """A cell or an index, with the node and mode that the plan gave it; `estimate` in seconds, 0.0 where unknown."""

    name: str
    node: str = ""
    mode: str = ""
    estimate: float = 0.0


@dataclass(frozen=True, slots=True)
class Row:
    """A task as it stands: times are readings of one monotonic clock in seconds, 0.0 before it began or ended."""

    task: Task
    phase: Phase = Phase.WAITING
    detail: str = ""
    step: int = 0
    steps: int = 0
    step_name: str = ""
    done: int = 0
    cached: int = 0
    attempts: int = 0
    began: float = 0.0
    ended: float = 0.0

    def seconds(self, now: float) -> float:
        """How long it has run, or took."""
        return (self.ended or now) - self.began if self.began else 0.0


def after(row: Row, event: Event, now: float) -> Row:
    """The row after an event about it."""
    match event:
        case StateChanged(phase=phase, detail=detail):
            return _changed(row, phase, detail, now)
        case Step(done=True, cached=cached):
            return replace(row, done=row.done + 1, cached=row.cached + cached)
        case Step(number=number, total=total, name=name):
            return replace(row, step=number or row.step, steps=total or row.steps, step_name=name)
        case Notice(text=text):
            return replace(row, detail=text)
        case Line():
            return row


def _changed(row: Row, phase: Phase, detail: str, now: float) -> Row:
    began = row.began or (now if phase in RUNNING or phase in ENDED else 0.0)
    ended = now if phase in ENDED else 0.0
    attempts = row.attempts + (phase is Phase.BUILDING)
    return replace(row, phase=phase, detail=detail, began=began, ended=ended, attempts=attempts)
