"""What a shell knows at one point of a text, and what an evaluation saw on one platform."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from itertools import islice

from orchestrator.auditing.shell.machine import UNKNOWN
from orchestrator.auditing.shell.syntax import Assignment, Block, Case, Command, If, Variable, Word

_MOST_REMEMBERED = 100
"""Variables that a visited command remembers of what was set around it, the last ones first."""


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
class Layer:
    """What changed since the layer below. `skipped` are variables that only a branch of other platforms sets."""

    variables: dict[str, str] = field(default_factory=dict)
    definitions: dict[str, frozenset[int]] = field(default_factory=dict)
    arrays: dict[str, dict[str, str]] = field(default_factory=dict)
    functions: dict[str, Block] = field(default_factory=dict)
    skipped: dict[str, tuple[Case | If, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class State:
    """Variables, arrays and functions in layers: a subshell, or a way that may be taken, is a layer of its own."""

    layers: list[Layer] = field(default_factory=lambda: [Layer()])

    @property
    def top(self) -> Layer:
        """Where changes go."""
        return self.layers[-1]

    def get(self, name: str) -> str | None:
        """The value of a variable, None where the text did not set it."""
        return next((one.variables[name] for one in reversed(self.layers) if name in one.variables), None)

    def definitions(self, name: str) -> frozenset[int]:
        """The words that may have given a variable its value."""
        return next((one.definitions[name] for one in reversed(self.layers) if name in one.definitions), frozenset())

    def assign(self, name: str, value: str, definitions: frozenset[int] = frozenset()) -> None:
        """Set a variable; `definitions` are the identities of the words that it comes from."""
        self.top.variables[name] = value
        self.top.definitions[name] = definitions
        if self.skipped(name):
            self.top.skipped[name] = ()

    def array(self, name: str) -> dict[str, str] | None:
        """The entries of an array with keys."""
        return next((one.arrays[name] for one in reversed(self.layers) if name in one.arrays), None)

    def function(self, name: str) -> Block | None:
        """The body of a function."""
        return next((one.functions[name] for one in reversed(self.layers) if name in one.functions), None)

    def skipped(self, name: str) -> tuple[Case | If, ...]:
        """The statements that would have set a variable on other platforms."""
        return next((one.skipped[name] for one in reversed(self.layers) if name in one.skipped), ())

    def forget_skipped(self) -> None:
        """Another text may have set anything."""
        for layer in self.layers:
            layer.skipped.clear()

    def environment(self) -> dict[str, str]:
        """The variables that were set last, as far as anybody may ask for them."""
        found: dict[str, str] = {}
        for layer in reversed(self.layers):
            for name, value in islice(reversed(layer.variables.items()), _MOST_REMEMBERED):
                found.setdefault(name, value)
        return found

    def join(self, ways: list[Layer]) -> None:
        """Go on behind a fork: values that all ways agree on, UNKNOWN for the rest."""
        changed = dict.fromkeys(name for way in ways for name in way.variables)
        for name in changed:
            values = {way.variables.get(name, self.get(name)) for way in ways}
            value = values.pop()
            sources = (way.definitions.get(name, self.definitions(name)) for way in ways)
            self.assign(name, UNKNOWN if values or value is None else value, frozenset().union(*sources))
        for way in ways:
            self.top.arrays.update(way.arrays)
            self.top.functions.update(way.functions)


@dataclass(frozen=True, slots=True)
class Visit:
    """A command that was reached: its words after expansion, what it reads, and the variables around it."""

    command: Command
    values: tuple[str, ...]
    stdin: str
    environment: dict[str, str]
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
    """What happened on one platform. Words are known by their identity; `scripts` are those that are shell texts.

    `read` are words whose variable was expanded, `replaced` those whose variable was set again.
    """

    words: set[int] = field(default_factory=set)
    read: set[int] = field(default_factory=set)
    replaced: set[int] = field(default_factory=set)
    scripts: set[int] = field(default_factory=set)
    reached: set[int] = field(default_factory=set)
    visits: list[Visit] = field(default_factory=list)
    assigned: list[tuple[Assignment, Word, str]] = field(default_factory=list)
    mismatches: list[Mismatch] = field(default_factory=list)
    matched: set[int] = field(default_factory=set)
    unserved: list[Case] = field(default_factory=list)
    missing: dict[int, tuple[Case | If, str]] = field(default_factory=dict)
    holes: list[Variable] = field(default_factory=list)
