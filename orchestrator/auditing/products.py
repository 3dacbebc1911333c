"""What a stage compiles for the machine that it runs on, and where that gets into the image."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from orchestrator.auditing.artifacts import Arrival, arrival, lookup_at, working_folders
from orchestrator.auditing.call import Call, calls_of
from orchestrator.auditing.context import Context
from orchestrator.auditing.natives import BUILD_TOOLS, native_build
from orchestrator.auditing.outputs import CONFIGURED, Command, Lookup, built, configured, moved, overlap
from orchestrator.auditing.runs import Language, Run
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.instruction import Instruction

_TOOLS = re.compile(
    r"\b(?:cabal|cargo|crystal|deno|dub|dune|go|mix|nimb?l?e?|shards|stack|swift|tinygo|zig|cc|gcc|g\+\+|c\+\+|clang|ghc"
    r"|gfortran|native-image|native|nexe|nuitka3?|nvcc|ocamlopt|pyinstaller|rustc|cmake|g?make|meson|ninja|node-gyp"
    r"|dotnet|gradlew?|mvnw?|dmd|ldc2)\b"
)
_TARGET_VARIABLE = re.compile(r"\bTARGET(?:PLATFORM|ARCH|VARIANT|PAIR)\b")
_ECHO = re.compile(r"\b(?:echo|printf)\b[^;&|>\n]*(?!>)")
_CROSS_HELPER = re.compile(
    r"(?:^|[/\s=\"])(?:tonistiigi/)?xx(?:[:@\s-]|$)|goxx|--wrap\b|go env -w GOARCH|\bcross build\b"
)
_SOURCED = re.compile(r"(?:^|[;&|\n]|\s)(?:\.|source)\s+[\"']?[/\w$.]")
_TOOLCHAIN = re.compile(
    r"golang|rust|gcc|clang|llvm|haskell|swift|zig|build-base|build-essential|g\+\+|musl-dev|musl-tools|\bgo\b|cargo|ghc|ocaml|nim|crystal"
)


@dataclass(frozen=True, slots=True)
class Product:
    """A command that compiles, what it is in words, and where what it makes comes into the image."""

    call: Call
    title: str
    instruction: Instruction
    arrival: Arrival


def native_products(context: Context, stage: int, platform: Platform) -> tuple[Product, ...]:
    """The native compilations of a stage whose results get into the image, in order."""
    if _uses_cross_helper(context, stage, platform):
        return ()
    commands = list(_commands(context, stage, platform))
    found: list[Product] = []
    for position, (call, command, run) in enumerate(commands):
        title = native_build(command)
        if not title or not _is_meant(context, stage, platform, run, title):
            continue
        paths = _with_moves(built(command), [one for _, one, _ in commands[position + 1 :]])
        into = arrival(context.staging, platform, stage, paths)
        if run.instruction is not None and into is not None:
            found.append(Product(call, title, run.instruction, into))
    return tuple(found)


def _is_meant(context: Context, stage: int, platform: Platform, run: Run, title: str) -> bool:
    """Whether nothing tells the command another target in a way that its words do not show."""
    text = run.source.text
    if title.startswith("go "):
        return not _SOURCED.search(text)
    if _knows_target(context, stage, platform, run):
        return False
    if title in BUILD_TOOLS:
        return _has_toolchain(context, stage, platform) and not _declares_target(context, stage, platform)
    return True


def _commands(context: Context, stage: int, platform: Platform) -> Iterator[tuple[Call, Command, Run]]:
    """The commands that one platform reaches, each with the folder in which it runs."""
    resolved = context.staging.resolved(stage, platform)
    folders = working_folders(context.staging, stage, platform)
    positions = {id(one): position for position, one in enumerate(resolved.executed)}
    settings: dict[str, str] = {}
    for run in context.runs:
        position = positions.get(id(run.instruction), -1)
        if run.stage != stage or position < 0 or run.is_start or run.language is Language.FILE:
            continue
        if _TOOLS.search(run.source.text) or _MOVES.search(run.source.text):
            outside = _chained(settings, lookup_at(resolved, position))
            yield from _followed(run, platform, folders[position], outside, settings)


_MOVES = re.compile(r"\b(?:cp|mv|install|rsync|ln)\b")


def _followed(
    run: Run, platform: Platform, folder: str, outside: Lookup, settings: dict[str, str]
) -> Iterator[tuple[Call, Command, Run]]:
    """Follow a text; `settings` keeps what one command decides for later ones."""
    for call in calls_of(run):
        visit = call.visits.get(platform)
        if visit is None or len(call.visits) < len(run.outside):
            continue
        command = Command(call.name, call.arguments, folder, _chained(visit.environment, outside))
        if call.name in {"cd", "pushd"} and command.operands:
            folder = command.path(command.operands[0])
        settings[CONFIGURED] = configured(command) or settings.get(CONFIGURED, "")
        yield call, command, run


def _chained(first: Mapping[str, str], otherwise: Lookup) -> Lookup:
    return lambda name: first[name] if name in first else otherwise(name)


def _with_moves(paths: tuple[str, ...], later: list[Command]) -> tuple[str, ...]:
    """Paths, and those to which later commands copy or move them."""
    known = list(paths)
    for command in later:
        move = moved(command)
        if move is not None and any(overlap(path, taken) for taken in move[0] for path in known):
            known.append(move[1])
    return tuple(known)


def _texts(context: Context, stage: int, platform: Platform, until: Run | None = None) -> Iterator[str]:
    """The RUN texts of a stage and those that it is built from, up to one of them."""
    lineage = context.staging.lineage(stage, platform)
    for run in context.runs:
        if run.stage in lineage and not run.is_start:
            yield run.source.text
        if run is until:
            return


def _knows_target(context: Context, stage: int, platform: Platform, run: Run) -> bool:
    """Whether a text up to here, or an ARG or ENV, does something with the target platform besides printing it."""
    if any(_TARGET_VARIABLE.search(_ECHO.sub("", text)) for text in _texts(context, stage, platform, run)):
        return True
    for index in context.staging.lineage(stage, platform):
        for instruction in context.dockerfile.stages[index].instructions:
            for one in instruction.assignments if instruction.keyword in {"ARG", "ENV"} else ():
                if one.value is not None and _TARGET_VARIABLE.search(one.value.text):
                    return True
    return False


def _declares_target(context: Context, stage: int, platform: Platform) -> bool:
    scope = context.staging.resolved(stage, platform).scope
    return any(scope.is_declared(name) for name in ("TARGETARCH", "TARGETPLATFORM", "TARGETVARIANT"))


def _uses_cross_helper(context: Context, stage: int, platform: Platform) -> bool:
    """Whether a tool that compiles for the target by itself is in the stage."""
    lineage = context.staging.lineage(stage, platform)
    for index in lineage:
        for use in context.staging.resolved(index, platform).uses:
            if _CROSS_HELPER.search(use.name):
                return True
    return any(_CROSS_HELPER.search(text) for text in _texts(context, stage, platform))


def _has_toolchain(context: Context, stage: int, platform: Platform) -> bool:
    bases = [context.staging.resolved(index, platform).base for index in context.staging.lineage(stage, platform)]
    if any(_TOOLCHAIN.search(base) for base in bases if isinstance(base, str)):
        return True
    return any(_TOOLCHAIN.search(text) for text in _texts(context, stage, platform))
