"""What each stage is for: the platform that is built for, the one that is built on, or a constant one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from orchestrator.core.errors import UsageError
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.dockerfile.graph import reachable, target_index
from orchestrator.dockerfile.lexer import ExpansionError, expand
from orchestrator.dockerfile.parse import Dockerfile
from orchestrator.dockerfile.resolve import SCRATCH, Resolved, ResolvedStage, survey
from orchestrator.dockerfile.scope import AUTOMATIC, Variable, automatic_values
from orchestrator.dockerfile.stages import Stage


class Side(StrEnum):
    """Which platform a stage has."""

    TARGET = "target"
    BUILD = "build"
    CONSTANT = "constant"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Role:
    """The side of a stage, and the number of the stage whose FROM line decides it.

    `constant` is the platform of a CONSTANT stage as it was written; `variables` are those that its flag expands.
    """

    stage: Stage
    side: Side
    decided_by: int
    constant: str = ""
    variables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Staging:
    """The roles of all stages; for each platform all stages resolved, and the numbers of those that are needed.

    `image` are the target and the stages that it is built from.
    """

    target: int
    roles: tuple[Role, ...]
    surveys: Mapping[Platform, Resolved]
    needed: Mapping[Platform, frozenset[int]]
    image: Mapping[Platform, frozenset[int]]

    def platforms(self, index: int) -> tuple[Platform, ...]:
        """The platforms for which a stage is built."""
        return tuple(platform for platform, needed in self.needed.items() if index in needed)

    def resolved(self, index: int, platform: Platform) -> ResolvedStage:
        """A stage as it is built for a platform."""
        return self.surveys[platform].stages[index]

    def becomes_image(self, index: int, platform: Platform) -> bool:
        """Whether a stage is the target or one of those that it is built from."""
        return index in self.image[platform]


def staging(
    dockerfile: Dockerfile, platforms: tuple[Platform, ...], arguments: Mapping[str, str], target: str
) -> Staging:
    """Find the platform of each stage. BuildKit's own variables count as they are meant, not as they are shadowed."""
    if not dockerfile.stages:
        return Staging(-1, (), {}, {}, {})
    surveys = {
        platform: survey(dockerfile, args=arguments, platform=platform, build_platform=LINUX_AMD64)
        for platform in platforms
    }
    index = _target(dockerfile, target)
    needed = {platform: reachable(_edges(one), index) for platform, one in surveys.items()}
    roles: list[Role] = []
    for stage in dockerfile.stages:
        roles.append(_role(dockerfile, stage, surveys, roles))
    image = {platform: frozenset(lineage(one, index)) for platform, one in surveys.items()}
    return Staging(index, tuple(roles), surveys, needed, image)


def lineage(resolved: Resolved, index: int) -> tuple[int, ...]:
    """A stage and those that it is built from, itself first."""
    found = [index]
    while isinstance(base := resolved.stages[found[-1]].base, int):
        found.append(base)
    return tuple(found)


def _target(dockerfile: Dockerfile, target: str) -> int:
    try:
        return target_index(dockerfile.stages, target, dockerfile.path)
    except UsageError:
        return len(dockerfile.stages) - 1


def _edges(resolved: Resolved) -> list[list[int]]:
    return [[use.stage for use in stage.uses if use.stage >= 0] for stage in resolved.stages]


def _role(dockerfile: Dockerfile, stage: Stage, surveys: Mapping[Platform, Resolved], before: list[Role]) -> Role:
    bases = {resolved.stages[stage.index].base for resolved in surveys.values()}
    parents = [base for base in bases if isinstance(base, int)]
    if parents:
        sides = {before[parent].side for parent in parents}
        role = before[parents[0]]
        side = role.side if len(sides) == 1 else Side.UNKNOWN
        return Role(stage, side, role.decided_by, role.constant, role.variables)
    if stage.platform_word is None or bases == {SCRATCH}:
        return Role(stage, Side.TARGET, stage.index)
    return _asked(dockerfile, stage, next(iter(surveys.values())).global_scope)


def asked_side(dockerfile: Dockerfile, stage: Stage, found: Staging) -> Role:
    """What the `--platform` of a stage asks for, whether or not it has an effect."""
    return _asked(dockerfile, stage, next(iter(found.surveys.values())).global_scope)


def _asked(dockerfile: Dockerfile, stage: Stage, variables: Mapping[str, Variable]) -> Role:
    """The side that `--platform` asks for: what it expands to with the two platforms one way and the other."""
    try:
        there = _expanded(dockerfile, stage.platform, variables, (LINUX_ARM64, LINUX_AMD64))
        back = _expanded(dockerfile, stage.platform, variables, (LINUX_AMD64, LINUX_ARM64))
        platforms = (Platform.parse(there[0]), Platform.parse(back[0]))
    except (ExpansionError, UsageError):
        return Role(stage, Side.UNKNOWN, stage.index)
    names = tuple(sorted(there[1]))
    if platforms == (LINUX_ARM64, LINUX_AMD64):
        return Role(stage, Side.TARGET, stage.index, variables=names)
    if platforms == (LINUX_AMD64, LINUX_ARM64):
        return Role(stage, Side.BUILD, stage.index, variables=names)
    if platforms[0] == platforms[1]:
        return Role(stage, Side.CONSTANT, stage.index, str(platforms[0]), names)
    return Role(stage, Side.UNKNOWN, stage.index, variables=names)


def _expanded(
    dockerfile: Dockerfile, text: str, variables: Mapping[str, Variable], platforms: tuple[Platform, Platform]
) -> tuple[str, frozenset[str]]:
    automatic = automatic_values(*platforms, "")

    def value_of(name: str) -> str | None:
        if name in AUTOMATIC:
            return automatic[name]
        if name not in variables:
            return None
        return _global_value(dockerfile, name, automatic, variables[name].value)

    result = expand(text, value_of, dockerfile.escape)
    return result.text, result.used


def _global_value(dockerfile: Dockerfile, name: str, automatic: Mapping[str, str], otherwise: str) -> str:
    """The value of a global argument whose default may be made of BuildKit's own variables."""
    for assignment in (one for instruction in dockerfile.global_args for one in instruction.assignments):
        if assignment.name == name and assignment.value is not None and "$" in assignment.value.text:
            return expand(assignment.value.text, automatic.get, dockerfile.escape).text
    return otherwise
