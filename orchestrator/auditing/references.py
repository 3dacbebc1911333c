"""Which variables a shell text expands, where, and whether it set them itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from orchestrator.auditing.runs import Language, Run
from orchestrator.auditing.shell.places import Position, places
from orchestrator.auditing.shell.syntax import Variable
from orchestrator.dockerfile.instruction import Instruction
from orchestrator.dockerfile.source import Word


@dataclass(frozen=True, slots=True)
class Reference:
    """`$NAME` in a text; `is_assigned` says that the text set it before, so that no ARG is needed."""

    name: str
    word: Word
    path: str
    has_fallback: bool
    is_assigned: bool
    instruction: Instruction | None


def references_of(run: Run) -> Iterator[Reference]:
    """The variables in the order of the text."""
    if run.language is not Language.SHELL or "$" not in run.source.text:
        return
    assigned: set[str] = set()
    for place in places(run.block):
        for part in place.word.parts:
            if isinstance(part, Variable):
                fallback = part.operator.lstrip(":")[:1] in {"-", "=", "?", "+"}
                word = run.source.word(part.start, part.end)
                yield Reference(part.name, word, run.path, fallback, part.name in assigned, run.instruction)
        if place.position is Position.ASSIGNED and place.assignment is not None:
            assigned.add(place.assignment.name)
