"""The findings of planning itself: cycles, parents without a platform, cells without a node, emulated cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orchestrator.core.finding import Finding, Related, Severity
from orchestrator.core.fleet import Place, Service
from orchestrator.core.plan import CellId
from orchestrator.planning.assign import Demand, Offer
from orchestrator.planning.recipe import ParentUse


def cycle_found(way: tuple[str, ...], places: Mapping[tuple[str, str], Place]) -> Finding:
    """A cycle, told once round: every service, the next one that it needs, and where that is written."""
    steps = list(zip(way, (*way[1:], way[0]), strict=True))
    told = " -> ".join((*way, way[0]))
    first, *_ = (places[step] for step in steps)
    related = tuple(Related(places[step].path, places[step].line, f"{step[0]} needs {step[1]} here") for step in steps)
    return Finding(
        rule="MP101",
        name="dependency-cycle",
        severity=Severity.ERROR,
        message=f"services need each other in a circle: {told}",
        path=first.path,
        line=first.line,
        column=first.column,
        cause="an image cannot be built before itself",
        related=related,
    )


def parent_lacks_platform(child: CellId, use: ParentUse, parent: Service) -> Finding:
    """A parent of the fleet that is not built for the platform for which a child takes it."""
    has = ", ".join(map(str, parent.platforms))
    return Finding(
        rule="MP102",
        name="parent-lacks-platform",
        severity=Severity.ERROR,
        message=f"{child} needs {parent.name} for {use.platform}, which is built for {has} only",
        path=use.place.path,
        line=use.place.line,
        column=use.place.column,
        platform=str(use.platform),
        cause=f"add {use.platform} to the platforms of {parent.name}, or take it from those of {child.service}",
        related=(Related(parent.place.path, parent.place.line, f"{parent.name} is described here"),),
    )


def no_node(demand: Demand, offers: Iterable[Offer]) -> Finding:
    """A cell that no node can or may build, with every node and why not."""
    refusals = "; ".join(f"{offer.node.name}: {offer.refused}" for offer in offers) or "there are no nodes"
    return _cell_finding(
        demand,
        ("MP201", "no-node", Severity.ERROR),
        f"no node can build {demand.id}: {refusals}",
        f"add a node for {demand.platform}, install an emulator (mabuild nodes --install {demand.platform}), "
        "or allow emulation",
    )


def emulated(demand: Demand, taken: Offer) -> Finding:
    """A cell that is emulated although its service would rather not."""
    return _cell_finding(
        demand,
        ("MP202", "emulated", Severity.WARNING),
        f"{demand.id} is built under emulation: {taken.why}",
        "add a native node, compile on the build platform, or say emulation: allow",
    )


def _cell_finding(demand: Demand, kind: tuple[str, str, Severity], message: str, cause: str) -> Finding:
    rule, name, severity = kind
    place = demand.service.place
    return Finding(
        rule=rule,
        name=name,
        severity=severity,
        message=message,
        path=place.path,
        line=place.line,
        column=place.column,
        platform=str(demand.platform),
        cause=cause,
    )
