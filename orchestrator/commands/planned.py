"""The plan of a fleet as this machine sees it, for commands that go on from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.commands.doors import asking, finding_nodes, this_platform
from orchestrator.commands.durations import durations
from orchestrator.commands.session import Session
from orchestrator.core.fleet import Fleet
from orchestrator.core.plan import Plan
from orchestrator.planning.plan import Doors, Options, make_plan
from orchestrator.planning.reading import DockerfileRecipes
from orchestrator.planning.select import Selection

if TYPE_CHECKING:
    from orchestrator.registry.stores import Stores


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
    doors = Doors(
        finding_nodes(fleet, builder, here, selection.platforms),
        asking(stores.client),
        DockerfileRecipes(fleet, here.directory),
    )
    options = Options(host=this_platform(), allow_missing_nodes=allow_missing_nodes, history=durations(here))
    return make_plan(fleet, selection, doors, options)
