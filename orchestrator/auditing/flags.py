"""Flags of compilers, wherever they are written: words of commands, variables of a shell, ENV and ARG."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from orchestrator.auditing.interest import may_hold_flags
from orchestrator.auditing.programs import QUIET, TALKERS
from orchestrator.auditing.runs import Run
from orchestrator.auditing.shell.places import Place, Position, places
from orchestrator.auditing.shell.syntax import Literal
from orchestrator.auditing.stages import StageView
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.source import SourceText, Word


@dataclass(frozen=True, slots=True)
class Flag:
    """A text that may hold flags: who reads it, on which platforms, and where it stands."""

    text: str
    program: str
    variable: str
    platforms: tuple[Platform, ...]
    source: SourceText
    start: int
    path: str = ""

    def place(self, start: int, end: int) -> Word:
        """The place of a part of the text."""
        return self.source.word(self.start + start, self.start + end)


def flags_of(stages: tuple[StageView, ...], runs: tuple[Run, ...]) -> Iterator[Flag]:
    """The texts of a file, in order."""
    for view in stages:
        yield from _of_stage(view)
    for run in runs:
        if may_hold_flags(run.source.text):
            yield from _of_run(run)


def _of_stage(view: StageView) -> Iterator[Flag]:
    """The values of ARG and ENV."""
    for instruction in view.stage.instructions if view.platforms else ():
        if instruction.keyword not in {"ENV", "ARG"} or not may_hold_flags(instruction.raw):
            continue
        for one in instruction.assignments:
            if one.value is not None:
                source = SourceText(one.value.text, (0,), ((one.value.line, one.value.column),))
                yield Flag(one.value.text, "", one.name, view.platforms, source, 0)


def _of_run(run: Run) -> Iterator[Flag]:
    for block in (run.block, *list(run.inner.values())):
        for place in places(block):
            live = _live(run, place)
            program = place.command.words[0].literal if place.command is not None and place.command.words else ""
            if not live or _is_quiet(place, program):
                continue
            variable = place.assignment.name if place.assignment is not None else ""
            for part in (part for part in place.word.parts if isinstance(part, Literal)):
                yield Flag(part.text, program, variable, live, run.source, part.start, run.path)


def _live(run: Run, place: Place) -> tuple[Platform, ...]:
    if place.position in {Position.COMPARED, Position.HEREDOC, Position.TARGET}:
        return ()
    return tuple(
        platform
        for platform, trace in run.traces.items()
        if place.command is None or id(place.command) in trace.reached
    )


def _is_quiet(place: Place, program: str) -> bool:
    if program in TALKERS:
        redirected = place.command is not None and bool(place.command.redirects)
        return not place.printed and not redirected
    return program in QUIET
