"""From a graph and nodes to cells: every cell gets a node, and brings the cells that it needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from orchestrator.core.errors import UnreachableError
from orchestrator.core.finding import Finding
from orchestrator.core.fleet import Emulation, Fleet, Service
from orchestrator.core.plan import CellId, Node
from orchestrator.core.platform import Platform, candidates
from orchestrator.planning.assign import SLOW_MODES, Demand, Loads, Offer, best, offer, under_policy
from orchestrator.planning.faults import emulated, no_node, parent_lacks_platform
from orchestrator.planning.graph import Graph
from orchestrator.planning.nominal import runner_of
from orchestrator.planning.recipe import ParentUse, Recipes
from orchestrator.planning.select import Selection, chosen, platforms_of


@dataclass(frozen=True, slots=True)
class Assigned:
    """A cell with its node and the cells that it needs."""

    demand: Demand
    offer: Offer
    needs: tuple[CellId, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """How nodes may be taken. `enforce` is off where nothing was asked of them, so that nothing is proven."""

    enforce: bool = True
    on_runners: bool = False
    allow_missing_nodes: bool = False


@dataclass(slots=True)
class Assignment:
    """All cells so far, errors (the plan is impossible) and warnings."""

    fleet: Fleet
    nodes: tuple[Node, ...]
    recipes: Recipes
    rules: Rules
    loads: Loads = field(default_factory=Loads)
    cells: dict[CellId, Assigned] = field(default_factory=dict)
    errors: list[Finding] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)

    def give(self, demand: Demand) -> tuple[CellId, ...]:
        """Find a node for a cell, and say which cells of other services it needs."""
        offers = [offer(node, demand, self.recipes) for node in self._allowed(demand)]
        if self.rules.enforce:
            offers = [under_policy(found, demand) for found in offers]
        taken = best(offers, demand.wave, self.loads)
        if taken is None:
            self.errors.append(no_node(demand, offers))
            return ()
        self.loads.add(demand.wave, taken)
        if taken.mode in SLOW_MODES and demand.service.emulation.of(demand.platform) is not Emulation.ALLOW:
            self.warnings.append(emulated(demand, taken))
        needs = tuple(dict.fromkeys([*self._parents(demand, taken), *self._ordered_after(demand)]))
        self.cells[demand.id] = Assigned(demand, taken, needs)
        return needs

    def _allowed(self, demand: Demand) -> tuple[Node, ...]:
        if not self.rules.on_runners:
            return self.nodes
        label = runner_of(self.fleet, demand.platform)
        return tuple(node for node in self.nodes if node.name == label)

    def _parents(self, demand: Demand, taken: Offer) -> Iterator[CellId]:
        for use in taken.recipe.parents:
            parent = self.fleet.service(use.service)
            platform = _built_for(parent, use)
            if platform is None:
                self.errors.append(parent_lacks_platform(demand.id, use, parent))
            else:
                yield CellId(parent.name, platform)

    def _ordered_after(self, demand: Demand) -> Iterator[CellId]:
        for name in demand.service.depends_on:
            platforms = self.fleet.service(name).platforms
            same = tuple(platform for platform in platforms if platform == demand.platform)
            yield from (CellId(name, platform) for platform in same or platforms)


def _built_for(parent: Service, use: ParentUse) -> Platform | None:
    for platform in candidates(use.platform):
        if platform.architecture == use.platform.architecture and platform in parent.platforms:
            return platform
    return None


def assign_all(assignment: Assignment, graph: Graph, selection: Selection) -> None:
    """Give every cell that is asked for a node, children before parents, so that parents come along."""
    waves = graph.waves
    asked = chosen(selection, graph.needs)
    wanted: dict[str, set[Platform]] = {
        name: set(platforms_of(assignment.fleet.service(name).platforms, selection)) if name in asked else set()
        for name in graph.needs
    }
    refuse_missing_nodes(assignment, wanted)
    for name in sorted(graph.needs, key=lambda name: -waves[name]):
        service = assignment.fleet.service(name)
        asked_for = [platform for platform in service.platforms if platform in wanted[name]]
        for platform in asked_for:
            for need in assignment.give(Demand(service, platform, waves[name])):
                wanted[need.service].add(need.platform)


def refuse_missing_nodes(assignment: Assignment, wanted: dict[str, set[Platform]]) -> None:
    """UnreachableError for nodes that are down and could have been used; a slower node is no silent stand-in."""
    if assignment.rules.allow_missing_nodes:
        return
    platforms = {platform for found in wanted.values() for platform in found}
    down = [
        node
        for node in assignment.nodes
        if not node.is_up and (not node.platforms or any(entry.platform in platforms for entry in node.platforms))
    ]
    if down:
        told = "; ".join(f"{node.name} ({node.driver} {node.endpoint}): {node.status}" for node in down)
        raise UnreachableError(
            f"{len(down)} node(s) do not answer: {told}",
            hint="start them, or plan without them: --allow-missing-nodes"
            if any(node.is_up for node in assignment.nodes)
            else "`mabuild doctor` says what is missing and what mends it; plan --offline does without nodes",
        )
