"""Which files of a stage get into the image: through COPY --from and mounts, from stage to stage, path by path."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

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
_FOLDERS = {"golang": "/go"}
"""Official images that do not begin in the root."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where files come into a stage of the target platform, or into the image; `mounted` ones only for one RUN."""

    stage: int
    word: Word
    mounted: bool = False


@dataclass(frozen=True, slots=True)
class _Taking:
    """A path that stage `taker` takes from another one; `target` is where it goes, empty for a mount.

    A stage that is built from the other one takes everything (`path` is the root, `target` empty) as it is.
    """

    taker: int
    word: Word
    path: str
    target: str
    inherits: bool = False


_Place = tuple[int, str]


@dataclass(slots=True)
class Artifacts:
    """The ways of files between the stages of a file, found once for each platform."""

    staging: Staging
    _takings: dict[Platform, dict[int, list[_Taking]]] = field(default_factory=dict)
    _folders: dict[Platform, list[tuple[str, ...]]] = field(default_factory=dict)
    _arrivals: dict[tuple[Platform, int, str], Arrival | None] = field(default_factory=dict)

    def arrival(self, platform: Platform, stage: int, paths: tuple[str, ...]) -> Arrival | None:
        """Where files of a stage first get into what the image is made of; None where they do not."""
        for path in paths:
            found = self._arrival(platform, (stage, path))
            if found is not None:
                return found
        return None

    def _arrival(self, platform: Platform, place: _Place) -> Arrival | None:
        """Depth first without recursion: a place is answered when the places behind it are."""
        waiting = [place]
        answers = self._arrivals
        while waiting:
            current = waiting[-1]
            key = (platform, *current)
            if key in answers:
                waiting.pop()
                continue
            following = list(self._following(platform, current))
            direct = next((one for one in following if isinstance(one, Arrival)), None)
            open_ones = [one for one in following if isinstance(one, tuple) and (platform, *one) not in answers]
            if direct is None and open_ones:
                waiting += open_ones
                continue
            indirect = (answers[(platform, *one)] for one in following if isinstance(one, tuple))
            answers[key] = direct or next((one for one in indirect if one is not None), None)
            waiting.pop()
        return answers[(platform, *place)]

    def _following(self, platform: Platform, place: _Place) -> Iterator[Arrival | _Place]:
        """Where the files of a place go: into the image, or to places in later stages."""
        stage, path = place
        for taking in self.takings(platform).get(stage, ()):
            if not taking.inherits and not overlap(path, taking.path):
                continue
            if self.staging.roles[taking.taker].side in _TARGET or self.staging.becomes_image(taking.taker, platform):
                yield Arrival(taking.taker, taking.word, mounted=not taking.target and not taking.inherits)
            elif taking.inherits:
                yield taking.taker, path
            elif taking.target:
                yield taking.taker, taking.target

    def takings(self, platform: Platform) -> dict[int, list[_Taking]]:
        """For each stage what needed stages take from it."""
        if platform not in self._takings:
            found: dict[int, list[_Taking]] = {}
            for source, taking in self._all_takings(platform):
                if source < taking.taker:
                    found.setdefault(source, []).append(taking)
            self._takings[platform] = found
        return self._takings[platform]

    def _all_takings(self, platform: Platform) -> Iterator[tuple[int, _Taking]]:
        for index in sorted(self.staging.needed[platform]):
            yield from _takings_of(self.staging.resolved(index, platform), self.folders(platform)[index])

    def folders(self, platform: Platform) -> list[tuple[str, ...]]:
        """For each stage the folder in which each of its instructions runs, and behind them the one at its end."""
        if platform not in self._folders:
            found: list[tuple[str, ...]] = []
            for resolved in self.staging.surveys[platform].stages:
                found.append(_working_folders(resolved, found))
            self._folders[platform] = found
        return self._folders[platform]


def _takings_of(resolved: ResolvedStage, folders: tuple[str, ...]) -> Iterator[tuple[int, _Taking]]:
    index = resolved.stage.index
    if isinstance(resolved.base, int):
        yield resolved.base, _Taking(index, resolved.stage.base_word, "/", "", inherits=True)
    sources = {(use.line, use.column): use.stage for use in resolved.uses if use.stage >= 0}
    if not sources:
        return
    flags = ((position, one, flag) for position, one in enumerate(resolved.executed) for flag in one.flags)
    for position, instruction, flag in flags:
        source = sources.get((flag.word.line, flag.word.column))
        if source is not None:
            for taking in _taken(resolved, position, instruction, flag.value, folders[position]):
                yield source, taking


def _taken(
    resolved: ResolvedStage, position: int, instruction: Instruction, value: str, folder: str
) -> Iterator[_Taking]:
    index = resolved.stage.index
    if instruction.keyword == "RUN":
        source = mount_options(value).get("source") or mount_options(value).get("src") or "/"
        yield _Taking(index, instruction.words[0] if instruction.words else resolved.stage.base_word, source, "")
        return
    *sources, target = [_expanded(word.text, resolved, position) for word in instruction.words]
    for word, text in zip(instruction.words, sources, strict=False):
        path = posixpath.normpath(posixpath.join("/", text)) if UNKNOWN not in text else UNKNOWN
        yield _Taking(index, word, path, _target(folder, target, text, several=len(sources) > 1))


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


def _working_folders(resolved: ResolvedStage, before: list[tuple[str, ...]]) -> tuple[str, ...]:
    if isinstance(resolved.base, int):
        folder = before[resolved.base][-1]
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
