"""Which services and platforms a call asks for."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from orchestrator.core.errors import UsageError
from orchestrator.core.fleet import Fleet
from orchestrator.core.platform import Platform
from orchestrator.planning.waves import Needs, dependents

_AND_DEPENDENTS = "+"


@dataclass(frozen=True, slots=True)
class Selection:
    """Service names as the user wrote them (`api+`: and what depends on it) and platforms; nothing means all."""

    services: tuple[str, ...] = ()
    platforms: tuple[Platform, ...] = ()

    @property
    def wants_dependents(self) -> bool:
        """Whether the whole graph has to be known to answer."""
        return not self.services or any(name.endswith(_AND_DEPENDENTS) for name in self.services)


def check(selection: Selection, fleet: Fleet) -> None:
    """Raise UsageError with a suggestion for services and platforms that the fleet does not have."""
    names = [service.name for service in fleet.services]
    for name in named(selection):
        if name not in names:
            close = difflib.get_close_matches(name, names, 1)
            hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(names)}"
            raise UsageError(f"there is no service {name!r}", hint=hint)
    built = sorted({platform for service in fleet.services for platform in service.platforms})
    for platform in selection.platforms:
        if platform not in built:
            raise UsageError(
                f"no service is built for {platform}",
                hint=f"the manifest has: {', '.join(map(str, built))}",
            )
    _check_each_has_a_platform(selection, fleet)


def _check_each_has_a_platform(selection: Selection, fleet: Fleet) -> None:
    for name in named(selection):
        service = fleet.service(name)
        if not platforms_of(service.platforms, selection):
            wanted = ", ".join(map(str, selection.platforms))
            own = ", ".join(map(str, service.platforms))
            raise UsageError(f"{name} is not built for {wanted}", hint=f"{service.place} has: {own}")


def named(selection: Selection) -> tuple[str, ...]:
    """The names without their plus signs."""
    return tuple(dict.fromkeys(name.removesuffix(_AND_DEPENDENTS) for name in selection.services))


def chosen(selection: Selection, needs: Needs) -> frozenset[str]:
    """The services that are asked for; the parents that they need come along later, cell by cell."""
    if not selection.services:
        return frozenset(needs)
    found = set(named(selection))
    for name in selection.services:
        if name.endswith(_AND_DEPENDENTS):
            found |= dependents(needs, name.removesuffix(_AND_DEPENDENTS))
    return frozenset(found)


def platforms_of(platforms: tuple[Platform, ...], selection: Selection) -> tuple[Platform, ...]:
    """Those of a service's platforms that are asked for."""
    if not selection.platforms:
        return platforms
    return tuple(platform for platform in platforms if platform in selection.platforms)
