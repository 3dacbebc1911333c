"""Which service needs which, and where that is written: from Dockerfiles, named contexts and depends_on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.core.errors import PlanError
from orchestrator.core.fleet import Fleet, Place, Service
from orchestrator.core.platform import Platform
from orchestrator.planning.faults import cycle_found
from orchestrator.planning.recipe import Recipes
from orchestrator.planning.select import Selection, named
from orchestrator.planning.waves import cycle, waves


@dataclass(frozen=True, slots=True)
class Graph:
    """What every service needs; `places` says for each (service, needed service) where that is written."""

    needs: Mapping[str, tuple[str, ...]]
    places: Mapping[tuple[str, str], Place]

    @property
    def waves(self) -> dict[str, int]:
        """The wave of every service."""
        return waves(self.needs)


def read_graph(fleet: Fleet, selection: Selection, builders: tuple[Platform, ...], recipes: Recipes) -> Graph:
    """The graph of the services that are asked for and of all that they need; PlanError where it has a cycle.

    `builders` are the platforms of the machines that may build: with `FROM --platform=$BUILDPLATFORM` the graph can
    depend on them. Services that are not asked for are read only where dependents are wanted.
    """
    names = [service.name for service in fleet.services]
    waiting = list(names) if selection.wants_dependents else list(named(selection))
    needs: dict[str, tuple[str, ...]] = {}
    places: dict[tuple[str, str], Place] = {}
    while waiting:
        service = fleet.service(waiting.pop(0))
        found = _needs_of(service, builders, recipes)
        needs[service.name] = tuple(name for name in names if name in found)
        places |= {(service.name, parent): place for parent, place in found.items()}
        waiting += [name for name in needs[service.name] if name not in needs and name not in waiting]
    graph = Graph({name: needs[name] for name in names if name in needs}, places)
    _refuse_cycle(graph)
    return graph


def _needs_of(service: Service, builders: tuple[Platform, ...], recipes: Recipes) -> dict[str, Place]:
    found: dict[str, Place] = {}
    for platform in service.platforms:
        for builder in builders:
            for use in recipes(service, platform, builder).parents:
                found.setdefault(use.service, use.place)
    for name in service.depends_on:
        found.setdefault(name, service.place)
    return found


def _refuse_cycle(graph: Graph) -> None:
    way = cycle(graph.needs)
    if way:
        finding = cycle_found(way, graph.places)
        raise PlanError(
            f"no plan is possible: {finding.message}", findings=(finding,), hint="remove one of these needs"
        )
