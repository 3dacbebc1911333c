"""The plan of a fleet as this machine sees it, for commands that go on from it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from orchestrator.commands.doors import asking, finding_nodes, this_platform
from orchestrator.commands.durations import durations
from orchestrator.commands.session import Session
from orchestrator.core.fleet import Fleet
from orchestrator.core.plan import CellId, Plan
from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference
from orchestrator.planning.plan import Doors, Options, make_plan
from orchestrator.planning.published import Published
from orchestrator.planning.reading import DockerfileRecipes
from orchestrator.planning.select import Selection

if TYPE_CHECKING:
    from orchestrator.registry.stores import Stores


def selected(services: list[str] | None, platforms: tuple[Platform, ...], cells: frozenset[CellId]) -> Selection:
    """What is asked for: with cells no more than these, since this machine may be one that builds nothing else."""
    names = services or dict.fromkeys(cell.service for cell in sorted(cells))
    return Selection(tuple(names), platforms or tuple(dict.fromkeys(cell.platform for cell in sorted(cells))))


def planned_anywhere(fleet: Fleet, selection: Selection, here: Session) -> Plan:
    """The plan of what other machines have built: the nodes of this one do not matter, and no one is asked."""
    doors = Doors(tuple, _never_asked, DockerfileRecipes(fleet, here.directory))
    plan = make_plan(replace(fleet, nodes=()), selection, doors, Options(offline=True, host=this_platform()))
    return replace(plan, fleet=fleet)


def _never_asked(reference: Reference) -> Published:
    raise AssertionError(f"{reference} is not asked for offline")


def doors_of(fleet: Fleet, builder: str, here: Session, stores: Stores, platforms: tuple[Platform, ...]) -> Doors:
    """What planning asks here: the nodes for some platforms (none: all of the fleet), registries, and Dockerfiles."""
    return Doors(
        finding_nodes(fleet, builder, here, platforms),
        asking(stores.client),
        DockerfileRecipes(fleet, here.directory),
    )


def planned(
    fleet: Fleet,
    selection: Selection,
    builder: str,
    here: Session,
    stores: Stores,
    *,
    allow_missing_nodes: bool = False,
) -> Plan:
    """The plan, with the nodes and base images of now."""
    doors = doors_of(fleet, builder, here, stores, selection.platforms)
    options = Options(host=this_platform(), allow_missing_nodes=allow_missing_nodes, history=durations(here))
    return make_plan(fleet, selection, doors, options)
