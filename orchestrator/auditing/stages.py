"""Which stages are built for which platform, and what their variables are there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from orchestrator.auditing.architectures import names, schematic
from orchestrator.auditing.shell.machine import UNKNOWN, machine
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.instruction import Instruction
from orchestrator.dockerfile.parse import Dockerfile
from orchestrator.dockerfile.resolve import Resolved, ResolvedStage, inspect
from orchestrator.dockerfile.scope import Origin
from orchestrator.dockerfile.stages import Stage

_MOST_ROOTS = 16
"""Stages that nothing uses and that are looked at as targets of their own."""
_WINDOWS = ("mcr.microsoft.com/windows", "nanoserver", "windowsservercore", "microsoft/windows")


@dataclass(frozen=True, slots=True)
class StageView:
    """A stage with the platforms that it is built for and, for each, its resolved form (missing: not resolved)."""

    stage: Stage
    platforms: tuple[Platform, ...]
    resolved: Mapping[Platform, ResolvedStage]

    def outside(self, instruction: Instruction, platform: Platform) -> Callable[[str], str | None]:
        """The variables that an instruction sees, as they are meant to be: BuildKit's own always have their values."""
        automatic = machine(platform).variables()
        resolved = self.resolved.get(platform)
        position = _position(resolved, instruction) if resolved is not None else 0

        def lookup(name: str) -> str | None:
            known = automatic.get(name)
            if known is not None:
                return known
            if resolved is None:
                return UNKNOWN
            variable = resolved.scope.lookup(name, before=position)
            if variable.origin is Origin.UNDECLARED:
                return None
            return variable.value if variable.known else UNKNOWN

        return lookup


def _position(resolved: ResolvedStage, instruction: Instruction) -> int:
    for position, one in enumerate(resolved.executed):
        if one is instruction:
            return position
    return len(resolved.executed)


@dataclass(frozen=True, slots=True)
class Views:
    """All stages of a file, and the resolved target for each platform."""

    stages: tuple[StageView, ...]
    targets: Mapping[Platform, Resolved]


def views(dockerfile: Dockerfile, platforms: tuple[Platform, ...], arguments: Mapping[str, str], target: str) -> Views:
    """Look at a file as if it were built for each platform on a machine of that platform.

    Without a target, stages that nothing uses count as targets too: somebody may build them with `--target`.
    """
    if not dockerfile.stages:
        return Views((), {})
    found: dict[int, dict[Platform, ResolvedStage]] = {}
    targets: dict[Platform, Resolved] = {}
    for platform in platforms:
        resolved = inspect(dockerfile, target=target, args=arguments, platform=platform, build_platform=platform)
        targets[platform] = resolved
        for one in resolved.stages:
            found.setdefault(one.stage.index, {})[platform] = one
    others: frozenset[int] = frozenset()
    if not target:
        others = frozenset(stage.index for stage in dockerfile.stages if stage.index not in found)
        _add_roots(dockerfile, platforms, arguments, found)
    return Views(_stage_views(dockerfile, platforms, found, others), targets)


def _add_roots(
    dockerfile: Dockerfile,
    platforms: tuple[Platform, ...],
    arguments: Mapping[str, str],
    found: dict[int, dict[Platform, ResolvedStage]],
) -> None:
    roots = 0
    for stage in reversed(dockerfile.stages):
        if stage.index in found or not stage.name or roots == _MOST_ROOTS:
            continue
        roots += 1
        for platform in platforms:
            resolved = inspect(
                dockerfile, target=stage.name, args=arguments, platform=platform, build_platform=platform
            )
            for one in resolved.stages:
                found.setdefault(one.stage.index, {}).setdefault(platform, one)


def _stage_views(
    dockerfile: Dockerfile,
    platforms: tuple[Platform, ...],
    found: dict[int, dict[Platform, ResolvedStage]],
    others: frozenset[int],
) -> tuple[StageView, ...]:
    paired = _paired(dockerfile.stages)
    result: list[StageView] = []
    for stage in dockerfile.stages:
        resolved = found.get(stage.index, {})
        live = platforms if stage.index in others else tuple(one for one in platforms if one in resolved)
        own = paired.get(stage.index, "") or _inherited(resolved, result, paired)
        if own:
            paired[stage.index] = own
            live = tuple(one for one in live if one.architecture == own)
        if _is_windows(stage, resolved, result):
            live = ()
        result.append(StageView(stage, live, resolved))
    return tuple(result)


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


def _inherited(resolved: Mapping[Platform, ResolvedStage], before: list[StageView], paired: Mapping[int, str]) -> str:
    """The architecture of the stage that this one is built from on every platform, if that is one of a pair."""
    bases = {one.base for one in resolved.values()}
    base = next(iter(bases)) if len(bases) == 1 else ""
    return paired.get(base, "") if isinstance(base, int) and base < len(before) else ""


def _is_windows(stage: Stage, resolved: Mapping[Platform, ResolvedStage], before: list[StageView]) -> bool:
    """Whether the stage is a Windows one, which is built for no Linux platform."""
    bases = {one.base for one in resolved.values()} or {stage.base_word.text}
    texts = [base for base in bases if isinstance(base, str)]
    parents = [base for base in bases if isinstance(base, int)]
    if any(sign in text.lower() for text in texts for sign in _WINDOWS):
        return True
    return any(index < len(before) and _is_windows_view(before[index]) for index in parents)


def _is_windows_view(view: StageView) -> bool:
    return not view.platforms and bool(view.resolved)
