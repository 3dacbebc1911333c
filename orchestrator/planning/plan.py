"""From a fleet to a plan, in steps that read from top to bottom."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

from orchestrator.core.errors import MabuildError, PlanError
from orchestrator.core.finding import Finding
from orchestrator.core.fleet import Fleet, Service
from orchestrator.core.plan import Base, Cell, CellId, ContextLink, Mode, Node, Plan, PlannedService
from orchestrator.core.platform import LINUX_AMD64, Platform
from orchestrator.planning.assign import own_platform
from orchestrator.planning.bases import Ask, Use, ask_all, bases, missing
from orchestrator.planning.cells import Assigned, Assignment, Rules, assign_all
from orchestrator.planning.estimate import seconds
from orchestrator.planning.graph import Graph, read_graph
from orchestrator.planning.nominal import nominal_nodes, runner_nodes, runner_of
from orchestrator.planning.recipe import Recipe, Recipes
from orchestrator.planning.select import Selection, check, named
from orchestrator.planning.traits import trait_findings


@dataclass(frozen=True, slots=True)
class Doors:
    """What planning asks the world: nodes, what is published under a reference, and what Dockerfiles need."""

    nodes: Callable[[], tuple[Node, ...]]
    ask: Ask
    recipes: Recipes


@dataclass(frozen=True, slots=True)
class Options:
    """How to plan. `offline` asks no node and no registry; `on_runners` takes the CI runners for nodes.

    `host` is the platform of this machine; `history` holds durations of earlier builds.
    """

    offline: bool = False
    on_runners: bool = False
    allow_missing_nodes: bool = False
    host: Platform = LINUX_AMD64
    history: Mapping[tuple[CellId, Mode], float] = field(default_factory=dict)


def make_plan(fleet: Fleet, selection: Selection, doors: Doors, options: Options) -> Plan:
    """The plan for what is asked; PlanError (with all findings) where there is none, UnreachableError, UsageError."""
    check(selection, fleet)
    recipes = _remembered(doors.recipes)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(_nodes, fleet, doors, options)
        _read_ahead(fleet, selection, recipes, options)
        nodes = asked.result()
    graph = read_graph(fleet, selection, _builders(nodes, options), recipes)
    rules = Rules(
        enforce=not options.offline,
        on_runners=options.on_runners,
        allow_missing_nodes=options.allow_missing_nodes,
    )
    assignment = Assignment(fleet, nodes, recipes, rules)
    assign_all(assignment, graph, selection)
    found_bases, faults = _check_bases(assignment, doors, options)
    _refuse((*assignment.errors, *faults))
    services = _services(assignment, graph)
    cells = _cells(assignment, services, options)
    traits = trait_findings((one.demand, one.offer) for one in assignment.cells.values())
    return Plan(fleet, services, cells, nodes, found_bases, (*assignment.warnings, *traits))


def _nodes(fleet: Fleet, doors: Doors, options: Options) -> tuple[Node, ...]:
    if options.on_runners:
        return runner_nodes(fleet)
    return nominal_nodes(fleet, options.host) if options.offline else doors.nodes()


def _read_ahead(fleet: Fleet, selection: Selection, recipes: Recipes, options: Options) -> None:
    """Read the Dockerfiles that are asked for while nodes answer, as from this machine, which most nodes resemble.

    Mistakes are told later, when it is known which machines build.
    """
    names = {service.name for service in fleet.services} if selection.wants_dependents else {*named(selection)}
    for service in fleet.services:
        for platform in service.platforms if service.name in names else ():
            with suppress(MabuildError):
                recipes(service, platform, options.host)


def _builders(nodes: tuple[Node, ...], options: Options) -> tuple[Platform, ...]:
    known = dict.fromkeys(platform for node in nodes if (platform := own_platform(node)))
    return tuple(known) or (options.host,)


def _remembered(recipes: Recipes) -> Recipes:
    known: dict[tuple[str, Platform, Platform], Recipe] = {}

    def remembered(service: Service, target: Platform, builder: Platform) -> Recipe:
        key = (service.name, target, builder)
        if key not in known:
            known[key] = recipes(service, target, builder)
        return known[key]

    return remembered


def _check_bases(
    assignment: Assignment, doors: Doors, options: Options
) -> tuple[tuple[Base, ...], tuple[Finding, ...]]:
    uses = [
        Use(cell.service, image)
        for cell, assigned in sorted(assignment.cells.items())
        for image in assigned.offer.recipe.images
    ]
    answers = () if options.offline else ask_all(uses, doors.ask)
    return bases(uses, answers), missing(uses, answers)


def _refuse(errors: tuple[Finding, ...]) -> None:
    if not errors:
        return
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    raise PlanError(f"no plan is possible: {errors[0].message}{more}", findings=errors, hint=errors[0].cause)


def _services(assignment: Assignment, graph: Graph) -> tuple[PlannedService, ...]:
    planned = {cell.service for cell in assignment.cells}
    waves = graph.waves
    services = [service for service in assignment.fleet.services if service.name in planned]
    found = [
        PlannedService(service, waves[service.name], graph.needs[service.name], _links(assignment, service.name))
        for service in services
    ]
    return tuple(sorted(found, key=lambda planned_service: planned_service.wave))


def _links(assignment: Assignment, name: str) -> tuple[ContextLink, ...]:
    uses = (
        use
        for cell, assigned in assignment.cells.items()
        if cell.service == name
        for use in assigned.offer.recipe.parents
    )
    return tuple(dict.fromkeys(ContextLink(use.name, use.service) for use in uses))


def _cells(assignment: Assignment, services: tuple[PlannedService, ...], options: Options) -> tuple[Cell, ...]:
    found = []
    for planned in services:
        for platform in planned.service.platforms:
            assigned = assignment.cells.get(CellId(planned.service.name, platform))
            if assigned:
                found.append(_cell(assigned, assignment.fleet, options))
    return tuple(found)


def _cell(assigned: Assigned, fleet: Fleet, options: Options) -> Cell:
    demand, taken = assigned.demand, assigned.offer
    return Cell(
        id=demand.id,
        node=taken.node.name,
        mode=taken.mode,
        why=taken.why,
        wave=demand.wave,
        needs=assigned.needs,
        runner=runner_of(fleet, demand.platform),
        estimate_seconds=seconds(demand.id, taken.mode, taken.slowdown, options.history),
    )
