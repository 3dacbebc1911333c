"""A simple command as it runs on the platforms that reach it: what rules look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from orchestrator.auditing.runs import Language, Run
from orchestrator.auditing.shell.commands import program_at
from orchestrator.auditing.shell.state import Visit
from orchestrator.auditing.shell.syntax import Command
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.instruction import Instruction
from orchestrator.dockerfile.source import Word


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """One command of a text, with its words after expansion for each platform that reaches it.

    `name` is the program without its folder, behind `sudo` and the like (empty: none), `first` the number of its word;
    `arguments` are the words behind it, quotes removed.
    """

    run: Run
    command: Command
    visits: Mapping[Platform, Visit]
    name: str
    first: int
    arguments: tuple[str, ...]

    @property
    def platforms(self) -> tuple[Platform, ...]:
        """Where control flow reaches it."""
        return tuple(self.visits)

    @property
    def visit(self) -> Visit:
        """How it is on the first of its platforms."""
        return next(iter(self.visits.values()))

    @property
    def environment(self) -> Mapping[str, str]:
        """`NAME=value` before the command, and variables that the text set before."""
        return self.visit.environment

    @property
    def upstream(self) -> tuple[str, ...]:
        """The programs before it in its pipeline."""
        return self.visit.upstream

    @property
    def path(self) -> str:
        """The script that it stands in; empty for the Dockerfile."""
        return self.run.path

    @property
    def instruction(self) -> Instruction | None:
        """The instruction that it stands in; None in a script that is audited by itself."""
        return self.run.instruction

    @property
    def word(self) -> Word:
        """Its place: the program's name."""
        words = self.command.words
        one = words[min(self.first, len(words) - 1)] if words else self.command
        return self.run.source.word(one.start, one.end)

    @property
    def words(self) -> tuple[Word, ...]:
        """The places of the arguments."""
        return tuple(self.run.source.word(one.start, one.end) for one in self.command.words[self.first + 1 :])


def calls_of(run: Run) -> tuple[Call, ...]:
    """The commands of a text in the order in which they are reached."""
    if not run.calls:
        run.calls = tuple(_found(run))
    return run.calls


def _found(run: Run) -> Iterator[Call]:
    if run.language is Language.WORDS:
        return
    visits: dict[int, dict[Platform, Visit]] = {}
    for platform, trace in run.traces.items():
        for visit in trace.visits:
            visits.setdefault(id(visit.command), {}).setdefault(platform, visit)
    for per_platform in visits.values():
        visit = next(iter(per_platform.values()))
        first = program_at(visit.values)
        name = visit.values[first].rpartition("/")[2] if first < len(visit.values) else ""
        yield Call(run, visit.command, per_platform, name, first, visit.values[first + 1 :])
