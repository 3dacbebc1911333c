"""What happens while something runs, for whoever shows it. Rooms send events; report/ draws them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Phase(StrEnum):
    """The states of a cell or an index on the board."""

    WAITING = "waiting"
    BUILDING = "building"
    RETRYING = "retrying"
    VERIFYING = "verifying"
    PUBLISHING = "publishing"
    BUILT = "built"
    UNCHANGED = "unchanged"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class StateChanged:
    """A task (a cell id or the name of a service for its index) entered a phase."""

    task: str
    phase: Phase
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A build step began or ended: step `number` of `total` (0 where unknown)."""

    task: str
    number: int
    total: int
    name: str
    cached: bool = False
    done: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One line of output of a build step."""

    task: str
    text: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence for people: a retry and its reason, a tag that moves."""

    task: str
    text: str


Event = StateChanged | Step | Line | Notice
Listener = Callable[[Event], None]
