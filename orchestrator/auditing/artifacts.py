"""Which files of a stage get into the image: through COPY --from and mounts, from stage to stage, path by path."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from orchestrator.auditing.outputs import UNKNOWN, overlap
from orchestrator.auditing.staging import Side, Staging
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.graph import mount_options
from orchestrator.dockerfile.instruction import Instruction
from orchestrator.dockerfile.lexer import ExpansionError, expand
from orchestrator.dockerfile.resolve import ResolvedStage
from orchestrator.dockerfile.scope import Origin
from orchestrator.dockerfile.source import Word

_TARGET = frozenset({Side.TARGET, Side.UNKNOWN})
_MOST_STEPS = 500
_FOLDERS = {"golang": "/go", "rust": "/", "node": "/", "python": "/", "debian": "/", "alpine": "/", "ubuntu": "/"}
"""Where the official images begin."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where files come into a stage of the target platform, or into the image; `mounted` ones only for one RUN."""

    stage: int
    word: Word
    mounted: bool = False


@dataclass(frozen=True, slots=True)
class _Taking:
    """A path that an instruction takes from another stage; `target` is where it goes, empty for a mount."""

    word: Word
    path: str
    target: str


def arrival(staging: Staging, platform: Platform, stage: int, paths: tuple[str, ...]) -> Arrival | None:
    """Where files of a stage first get into what the image is made of; None where they do not."""
    needed = sorted(staging.needed[platform])
    waiting = [(stage, path) for path in paths]
    seen = set(waiting)
    for _ in range(_MOST_STEPS):
        if not waiting:
            return None
        source, path = waiting.pop(0)
        for index in (one for one in needed if one > source):
            for taking in _takings(staging, platform, index, source, path):
                if staging.roles[index].side in _TARGET or staging.becomes_image(index, platform):
                    return Arrival(index, taking.word, mounted=not taking.target)
                following = (index, taking.target)
                if taking.target and following not in seen:
                    seen.add(following)
                    waiting.append(following)
    return None


def _takings(staging: Staging, platform: Platform, index: int, source: int, path: str) -> Iterator[_Taking]:
    """The ways in which a stage takes a path, or something above or below it, from another stage."""
    resolved = staging.resolved(index, platform)
    if resolved.base == source:
        yield _Taking(resolved.stage.base_word, path, path)
    flags = {(use.line, use.column) for use in resolved.uses if use.stage == source}
    if not flags:
        return
    folders = working_folders(staging, index, platform)
    for position, instruction in enumerate(resolved.executed):
        for flag in instruction.flags:
            if (flag.word.line, flag.word.column) not in flags:
                continue
            for taking in _taken(resolved, position, instruction, flag.value, folders[position]):
                if overlap(path, taking.path):
                    yield taking


def _taken(
    resolved: ResolvedStage, position: int, instruction: Instruction, value: str, folder: str
) -> Iterator[_Taking]:
    if instruction.keyword == "RUN":
        source = mount_options(value).get("source") or mount_options(value).get("src") or "/"
        yield _Taking(instruction.words[0] if instruction.words else resolved.stage.base_word, source, "")
        return
    *sources, target = [_expanded(word.text, resolved, position) for word in instruction.words]
    for word, text in zip(instruction.words, sources, strict=False):
        path = posixpath.normpath(posixpath.join("/", text)) if UNKNOWN not in text else UNKNOWN
        yield _Taking(word, path, _target(folder, target, text, several=len(sources) > 1))


def _target(folder: str, target: str, source: str, *, several: bool) -> str:
    joined = posixpath.join(folder, target)
    if UNKNOWN in joined:
        return UNKNOWN
    if (several or target.endswith("/")) and UNKNOWN not in source:
        joined = posixpath.join(joined, posixpath.basename(source))
    return posixpath.normpath(joined)


def lookup_at(resolved: ResolvedStage, position: int) -> Callable[[str], str | None]:
    """The variables that a file sets before one of the instructions of a stage; UNKNOWN where a value is not known."""

    def lookup(name: str) -> str | None:
        variable = resolved.scope.lookup(name, before=position)
        if variable.origin is Origin.UNDECLARED:
            return None
        return variable.value if variable.known else UNKNOWN

    return lookup


def _expanded(text: str, resolved: ResolvedStage, position: int) -> str:
    """A path of an instruction; UNKNOWN where it depends on what a base image sets."""
    try:
        result = expand(text, lookup_at(resolved, position))
    except ExpansionError:
        return UNKNOWN
    return UNKNOWN if result.missing and resolved.scope.opaque else result.text


def working_folders(staging: Staging, index: int, platform: Platform) -> tuple[str, ...]:
    """The folder in which each instruction of a stage runs, and behind them the one at its end."""
    resolved = staging.resolved(index, platform)
    if isinstance(resolved.base, int):
        folder = working_folders(staging, resolved.base, platform)[-1]
    else:
        repository = resolved.base.rpartition("/")[2].partition("@")[0].partition(":")[0]
        folder = _FOLDERS.get(repository, "/")
    folders = [folder]
    for position, instruction in enumerate(resolved.executed):
        if instruction.keyword == "WORKDIR":
            text = _expanded(instruction.words[0].text, resolved, position)
            folder = UNKNOWN if UNKNOWN in text else posixpath.normpath(posixpath.join(folder, text))
        folders.append(folder)
    return tuple(folders)
