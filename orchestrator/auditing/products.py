"""What a stage compiles for the machine that it runs on, and where that gets into the image."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from orchestrator.auditing.artifacts import Arrival, lookup_at
from orchestrator.auditing.call import Call, calls_of
from orchestrator.auditing.context import Context
from orchestrator.auditing.natives import BUILD_TOOLS, native_build
from orchestrator.auditing.outputs import CONFIGURED, Command, Lookup, built, configured, spread
from orchestrator.auditing.runs import Language, Run
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.instruction import Instruction

_MOST = 200
"""Compilations of one stage that are looked at."""
_TOOLS = re.compile(
    r"\b(?:cabal|cargo|crystal|deno|dub|dune|go|mix|nimb?l?e?|shards|stack|swift|tinygo|zig|cc|gcc|g\+\+|c\+\+|clang|ghc"
    r"|gfortran|native-image|native|nexe|nuitka3?|nvcc|ocamlopt|pyinstaller|rustc|cmake|g?make|meson|ninja|node-gyp"
    r"|dotnet|gradlew?|mvnw?|dmd|ldc2)\b"
)
_MOVES = re.compile(r"\b(?:cp|mv|install|rsync|ln|configure|tar|unzip)\b")
_SOURCED = re.compile(r"(?:^|[;&|\n({]|\b(?:then|do|else|if)\b)\s*(?:\.|source)\s+[^\s&|;]")


@dataclass(frozen=True, slots=True)
class Product:
    """A command that compiles, what it is in words, and where what it makes comes into the image."""

    call: Call
    title: str
    instruction: Instruction
    arrival: Arrival


def native_products(context: Context, stage: int, platform: Platform) -> tuple[Product, ...]:
    """The native compilations of a stage whose results get into the image, in order."""
    texts = context.stage_texts
    if not any(_TOOLS.search(run.source.text) for run in texts.runs.get(stage, ())):
        return ()
    if texts.signs(platform, stage).cross_helper:
        return ()
    commands = list(_commands(context, stage, platform))
    titles = {number: native_build(command) for number, (_, command, _) in enumerate(commands)}
    meant = [
        number
        for number, (_, _, run) in enumerate(commands)
        if titles[number] and _is_meant(context, stage, platform, run, titles[number])
    ][:_MOST]
    starts = {number: built(commands[number][1]) for number in meant}
    paths = spread(starts, [command for _, command, _ in commands])
    found: list[Product] = []
    for number in meant:
        call, _, run = commands[number]
        into = context.artifacts.arrival(platform, stage, tuple(paths[number]))
        if run.instruction is not None and into is not None:
            found.append(Product(call, titles[number], run.instruction, into))
    return tuple(found)


def _is_meant(context: Context, stage: int, platform: Platform, run: Run, title: str) -> bool:
    """Whether nothing tells the command another target in a way that its words do not show."""
    if title.startswith("go "):
        return not _SOURCED.search(run.source.text)
    if context.stage_texts.knows_target(platform, stage, run):
        return False
    if title in BUILD_TOOLS:
        has_toolchain = context.stage_texts.signs(platform, stage).toolchain
        return has_toolchain and not _declares_target(context, stage, platform)
    return True


def _commands(context: Context, stage: int, platform: Platform) -> Iterator[tuple[Call, Command, Run]]:
    """The commands that one platform reaches, each with the folder in which it runs."""
    resolved = context.staging.resolved(stage, platform)
    folders = context.artifacts.folders(platform)[stage]
    positions = {id(one): position for position, one in enumerate(resolved.executed)}
    settings: dict[str, str] = {}
    for run in context.stage_texts.runs.get(stage, ()):
        position = positions.get(id(run.instruction), -1)
        if position < 0 or run.language is Language.FILE:
            continue
        if _TOOLS.search(run.source.text) or _MOVES.search(run.source.text):
            outside = _chained(settings, lookup_at(resolved, position))
            yield from _followed(run, platform, folders[position], outside, settings)


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


def _declares_target(context: Context, stage: int, platform: Platform) -> bool:
    scope = context.staging.resolved(stage, platform).scope
    return any(scope.is_declared(name) for name in ("TARGETARCH", "TARGETPLATFORM", "TARGETVARIANT"))
