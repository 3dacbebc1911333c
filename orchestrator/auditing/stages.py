"""Which stages are built for which platform, and what their variables are there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from orchestrator.auditing.architectures import names, schematic
from orchestrator.auditing.shell.expansion import without_wrong_names
from orchestrator.auditing.shell.machine import UNKNOWN, machine
from orchestrator.auditing.staging import Staging
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.instruction import Instruction
from orchestrator.dockerfile.parse import Dockerfile
from orchestrator.dockerfile.resolve import ResolvedStage
from orchestrator.dockerfile.scope import Origin
from orchestrator.dockerfile.stages import Stage

_WINDOWS = ("mcr.microsoft.com/windows", "nanoserver", "windowsservercore", "microsoft/windows")


@dataclass(frozen=True, slots=True)
class StageView:
    """A stage with the platforms that it is built for, its resolved form for all, and where its instructions stand."""

    stage: Stage
    platforms: tuple[Platform, ...]
    resolved: Mapping[Platform, ResolvedStage]
    positions: Mapping[Platform, Mapping[int, int]]

    def outside(self, instruction: Instruction, platform: Platform) -> Callable[[str], str | None]:
        """The variables that an instruction sees, as they are meant to be: BuildKit's own always have their values."""
        automatic = machine(platform).variables()
        resolved = self.resolved[platform]
        position = self.positions[platform].get(id(instruction), len(resolved.executed))

        def lookup(name: str) -> str | None:
            known = automatic.get(name)
            if known is not None:
                return known
            variable = resolved.scope.lookup(name, before=position)
            if variable.origin is Origin.UNDECLARED:
                return None
            return without_wrong_names(variable.value, platform.architecture) if variable.known else UNKNOWN

        return lookup


def stage_views(
    dockerfile: Dockerfile, platforms: tuple[Platform, ...], staging: Staging, *, everything: bool
) -> tuple[StageView, ...]:
    """The stages in order; with `everything` also those that the target does not need, as targets of their own."""
    paired = _paired(dockerfile.stages)
    result: list[StageView] = []
    for stage in dockerfile.stages:
        resolved = {platform: staging.resolved(stage.index, platform) for platform in platforms}
        live = staging.platforms(stage.index) or (platforms if everything else ())
        own = paired.get(stage.index, "") or _inherited(resolved, paired)
        if own:
            paired[stage.index] = own
            live = tuple(one for one in live if one.architecture == own)
        if _is_windows(resolved, result):
            live = ()
        positions = {platform: _positions(one) for platform, one in resolved.items()}
        result.append(StageView(stage, live, resolved, positions))
    return tuple(result)


def _positions(resolved: ResolvedStage) -> dict[int, int]:
    """The number of each instruction, by its identity."""
    return {id(one): position for position, one in enumerate(resolved.executed)}


def _paired(stages: tuple[Stage, ...]) -> dict[int, str]:
    """Stages whose name says an architecture, with a sibling that says another one."""
    families: dict[str, set[str]] = {}
    own: dict[int, tuple[str, str]] = {}
    for stage in stages:
        named = {one.family for one in names(stage.name)}
        if len(named) == 1:
            key = schematic(stage.name)
            own[stage.index] = (key, named.pop())
            families.setdefault(key, set()).add(own[stage.index][1])
    return {index: family for index, (key, family) in own.items() if len(families[key]) > 1}


def _inherited(resolved: Mapping[Platform, ResolvedStage], paired: Mapping[int, str]) -> str:
    """The architecture of the stage that this one is built from on every platform, if that is one of a pair."""
    bases = {one.base for one in resolved.values()}
    base = next(iter(bases)) if len(bases) == 1 else ""
    return paired.get(base, "") if isinstance(base, int) else ""


def _is_windows(resolved: Mapping[Platform, ResolvedStage], before: list[StageView]) -> bool:
    """Whether the stage is a Windows one, which is built for no Linux platform."""
    for one in resolved.values():
        if isinstance(one.base, int):
            return one.base < len(before) and not before[one.base].platforms and _is_windows_base(before[one.base])
        if any(sign in one.base.lower() for sign in _WINDOWS):
            return True
    return False


def _is_windows_base(view: StageView) -> bool:
    words = view.stage.base_word.text.lower()
    return any(sign in words for sign in _WINDOWS)
