"""The stages of a Dockerfile, and what BuildKit demands of instructions before any value is known."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from orchestrator.core.errors import DockerfileError
from orchestrator.dockerfile.instruction import KEYWORDS, Instruction
from orchestrator.dockerfile.source import Word, shown

MOST_STAGES = 2_000
_STAGE_NAME = re.compile(r"[a-z][a-z0-9-_.]*")
_NEEDS_ARGUMENTS = frozenset({"ARG", "ENV", "EXPOSE", "HEALTHCHECK", "LABEL", "ONBUILD", "VOLUME"})
_NOT_TRIGGERS = frozenset({"FROM", "MAINTAINER", "ONBUILD"})
_NEEDS_TWO = frozenset({"ADD", "COPY"})
_NEEDS_ONE = frozenset({"MAINTAINER", "STOPSIGNAL", "USER", "WORKDIR"})


@dataclass(frozen=True, slots=True)
class Stage:
    """A FROM with the instructions below it. `name` is in lower case, empty where the stage has none."""

    index: int
    name: str
    base_word: Word
    platform_word: Word | None
    platform: str
    instruction: Instruction
    instructions: tuple[Instruction, ...]

    @property
    def line(self) -> int:
        """The line of its FROM."""
        return self.instruction.line

    @property
    def title(self) -> str:
        """Its name, or its number in words, for messages."""
        return self.name or f"stage {self.index}"


def split_stages(
    instructions: tuple[Instruction, ...], path: str, *, foreign: bool
) -> tuple[tuple[Instruction, ...], tuple[Stage, ...]]:
    """The ARG instructions before the first FROM, and the stages.

    `foreign` allows keywords that docker's own frontend does not know. Raises DockerfileError.
    """
    starts = [index for index, one in enumerate(instructions) if one.keyword == "FROM" and not one.onbuild]
    for one in instructions:
        _check(one, path, foreign=foreign)
    if not starts:
        raise DockerfileError("the file has no FROM", path=path, line=instructions[0].line)
    if len(starts) > MOST_STAGES:
        raise DockerfileError(f"more than {MOST_STAGES} stages", path=path, line=instructions[starts[MOST_STAGES]].line)
    early = next((one for one in instructions[: starts[0]] if one.keyword != "ARG" or one.onbuild), None)
    if early is not None and not foreign:
        raise DockerfileError(
            f"{early.keyword} stands before the first FROM", path=path, line=early.line, hint="only ARG may stand there"
        )
    ends = [*starts[1:], len(instructions)]
    stages = tuple(
        _stage(index, instructions[start], instructions[start + 1 : end], path)
        for index, (start, end) in enumerate(zip(starts, ends, strict=True))
    )
    return tuple(one for one in instructions[: starts[0]] if one.keyword == "ARG"), stages


def _stage(index: int, origin: Instruction, instructions: tuple[Instruction, ...], path: str) -> Stage:
    words = origin.words
    if len(words) not in {1, 3} or (len(words) == 3 and words[1].text.lower() != "as"):
        raise DockerfileError(
            "FROM takes one image, and AS with a name", path=path, line=origin.line, hint="FROM image [AS name]"
        )
    name = words[2].text.lower() if len(words) == 3 else ""
    if name and not _STAGE_NAME.fullmatch(name):
        raise DockerfileError(
            f"{shown(words[2].text)!r} is no name for a stage",
            path=path,
            line=origin.line,
            hint="it begins with a letter and has letters, digits, - _ .",
        )
    platform = origin.flag("platform")
    word = platform.word if platform else None
    return Stage(index, name, words[0], word, platform.value if platform else "", origin, instructions)


def _check(one: Instruction, path: str, *, foreign: bool) -> None:
    problem = _problem(one)
    if one.keyword not in KEYWORDS and not foreign:
        near = difflib.get_close_matches(one.keyword, KEYWORDS, 1, 0.6) if len(one.keyword) < 40 else []
        hint = f"did you mean {near[0]}?" if near else ""
        raise DockerfileError(f"unknown instruction: {shown(one.keyword)}", path=path, line=one.line, hint=hint)
    if problem:
        raise DockerfileError(f"{one.keyword} {problem}", path=path, line=one.line)


def _problem(one: Instruction) -> str:
    if one.onbuild and one.keyword in _NOT_TRIGGERS:
        return "is not allowed behind ONBUILD"
    if one.keyword in _NEEDS_ARGUMENTS and not one.words:
        return "requires at least one argument"
    if one.keyword in _NEEDS_TWO and len(one.words) < 2:
        return "requires at least two arguments"
    if one.keyword in _NEEDS_ONE and not one.words:
        return "requires exactly one argument"
    if any(not assignment.name for assignment in one.assignments):
        return "names must not be blank"
    return ""
