"""What a shell knows at one point of a text, and what an evaluation saw on one platform."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from orchestrator.auditing.shell.machine import UNKNOWN
from orchestrator.auditing.shell.syntax import Assignment, Block, Case, Command, If, Variable, Word


class Status(Enum):
    """How a command ends: `MAYBE` where that is not decided by the platform."""

    YES = "yes"
    NO = "no"
    MAYBE = "maybe"

    @property
    def opposite(self) -> Status:
        """The status behind `!`."""
        return {Status.YES: Status.NO, Status.NO: Status.YES}.get(self, Status.MAYBE)


@dataclass(slots=True)
class State:
    """Variables, arrays and functions. `skipped` are variables that only a branch of other platforms sets."""

    variables: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, dict[str, str]] = field(default_factory=dict)
    functions: dict[str, Block] = field(default_factory=dict)
    skipped: dict[str, tuple[Case | If, ...]] = field(default_factory=dict)

    def copy(self) -> State:
        """The same state, to be changed by itself."""
        return State(dict(self.variables), dict(self.arrays), dict(self.functions), dict(self.skipped))

    def assign(self, name: str, value: str) -> None:
        """Set a variable."""
        self.variables[name] = value
        self.skipped.pop(name, None)


def joined(states: list[State]) -> State:
    """What is known behind a fork: values that all ways agree on, UNKNOWN for the rest."""
    first, *others = states
    if not others:
        return first
    result = first.copy()
    for other in others:
        for name in [*other.variables, *result.variables]:
            if result.variables.get(name) != other.variables.get(name):
                result.variables[name] = UNKNOWN
        result.arrays = {**other.arrays, **result.arrays}
        result.functions = {**other.functions, **result.functions}
        result.skipped = {name: nodes for name, nodes in result.skipped.items() if name in other.skipped}
    return result


@dataclass(frozen=True, slots=True)
class Visit:
    """A command that was reached: its words after expansion, what it reads, and the variables around it."""

    command: Command
    values: tuple[str, ...]
    stdin: str
    environment: dict[str, str]
    functions: frozenset[str]
    upstream: tuple[str, ...] = ()
    downstream: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A pattern that never matches although it names the platform: the probe says `value`."""

    pattern: Word
    value: str
    statement: int


@dataclass(slots=True)
class Trace:
    """What happened on one platform. Words are known by their identity; `scripts` are those that are shell texts."""

    words: set[int] = field(default_factory=set)
    scripts: set[int] = field(default_factory=set)
    reached: set[int] = field(default_factory=set)
    visits: list[Visit] = field(default_factory=list)
    assigned: list[tuple[Assignment, Word, str]] = field(default_factory=list)
    mismatches: list[Mismatch] = field(default_factory=list)
    matched: set[int] = field(default_factory=set)
    unserved: list[Case] = field(default_factory=list)
    missing: dict[int, tuple[Case | If, str]] = field(default_factory=dict)
    holes: list[Variable] = field(default_factory=list)
