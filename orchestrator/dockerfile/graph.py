"""Which stage uses which: FROM, COPY --from and RUN --mount=from=, found as BuildKit finds them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from orchestrator.core.errors import UsageError
from orchestrator.core.reference import Reference
from orchestrator.dockerfile.instruction import Flag, Instruction
from orchestrator.dockerfile.source import shown
from orchestrator.dockerfile.stages import Stage

EXTERNAL = -1
"""The stage number of what is no stage: an image, a build context or `scratch`."""


class UseKind(StrEnum):
    """How a stage uses another stage or an image."""

    FROM = "from"
    COPY = "copy"
    MOUNT = "mount"


@dataclass(frozen=True, slots=True)
class Link:
    """One use as it is written, and the number of the stage that it means (EXTERNAL: none)."""

    name: str
    kind: UseKind
    stage: int
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that BuildKit refuses when it builds, and its line."""

    message: str
    line: int
    hint: str = ""


def context_name(name: str) -> str:
    """A name as buildx compares it with those of `--build-context`: familiar, without `:latest`."""
    try:
        return Reference.parse(name).familiar.removesuffix(":latest")
    except UsageError:
        return name


def executed(stage: Stage, parent: Stage | None) -> tuple[Instruction, ...]:
    """What building a stage does: ONBUILD triggers of the stage that it is built from, then its own instructions."""
    triggers = tuple(one for one in parent.instructions if one.onbuild) if parent is not None else ()
    return (*triggers, *(one for one in stage.instructions if not one.onbuild))


def sources(instruction: Instruction, names: dict[str, int], stages: int) -> tuple[list[Link], list[Problem]]:
    """The stages and images from which a COPY, or the mounts of a RUN, take files."""
    links: list[Link] = []
    problems: list[Problem] = []
    for name, kind, flag in _origins(instruction):
        if "$" in name:
            problems.append(
                Problem(
                    f"--from={shown(name)}: variables are not expanded here",
                    flag.word.line,
                    "name a stage that is made with FROM and the variable",
                )
            )
            continue
        stage = names.get(name.lower(), EXTERNAL)
        if kind is UseKind.COPY and name.isascii() and name.isdecimal():
            stage = int(name) if len(name) < 9 else stages
            if stage >= stages:
                problems.append(Problem(f"--from={shown(name)}: there is no such stage", flag.word.line))
                continue
        links.append(Link(name, kind, stage, flag.word.line, flag.word.column))
    return links, problems


def _origins(instruction: Instruction) -> Iterable[tuple[str, UseKind, Flag]]:
    for flag in instruction.flags:
        if instruction.keyword == "COPY" and flag.name == "from" and flag.value:
            yield flag.value, UseKind.COPY, flag
        elif instruction.keyword == "RUN" and flag.name == "mount":
            name = mount_options(flag.value).get("from", "")
            if name:
                yield name, UseKind.MOUNT, flag


def mount_options(value: str) -> dict[str, str]:
    """`type=bind,from=build,ro` as keys (in lower case) and values; it is one line of CSV."""
    options: dict[str, str] = {}
    for field in value.split(","):
        key, _, text = field.strip().strip('"').partition("=")
        options[key.lower()] = text
    return options


def find_cycle(edges: list[list[int]]) -> list[int]:
    """The stages of one way round, the first one again at the end; empty where there is none."""
    state = [0] * len(edges)
    for start in range(len(edges)):
        path: list[int] = []
        stack = [(start, False)]
        while stack:
            node, done = stack.pop()
            if done:
                state[node] = 2
                path.pop()
            elif state[node] == 1:
                return [*path[path.index(node) :], node]
            elif state[node] == 0:
                state[node] = 1
                path.append(node)
                stack.append((node, True))
                stack += [(following, False) for following in edges[node] if state[following] != 2]
    return []


def reachable(edges: list[list[int]], start: int) -> frozenset[int]:
    """The stages that building one needs, itself included."""
    seen = {start}
    stack = [start]
    while stack:
        new = [node for node in edges[stack.pop()] if node not in seen]
        seen.update(new)
        stack += new
    return frozenset(seen)


def target_index(stages: tuple[Stage, ...], target: str, path: str) -> int:
    """The number of the stage that `--target` names (empty: the last one); UsageError where there is none."""
    if not target:
        return len(stages) - 1
    wanted = target.lower()
    for stage in reversed(stages):
        if stage.name == wanted:
            return stage.index
    names = [stage.name for stage in stages if stage.name]
    near = difflib.get_close_matches(wanted, names, 1)
    hint = (
        f"did you mean {near[0]}?"
        if near
        else f"its stages are {', '.join(names[:10])}"
        if names
        else "no stage has a name"
    )
    raise UsageError(f"{path} has no stage {target!r}", hint=hint)
