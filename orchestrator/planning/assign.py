"""Which node builds a cell: the best by mode, then by measured speed, then by load, and why in plain words."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from orchestrator.core.fleet import Emulation, Service
from orchestrator.core.plan import CellId, Mode, Node, NodePlatform
from orchestrator.core.platform import Platform
from orchestrator.planning.recipe import NO_RECIPE, Execution, Recipe, Recipes

RANK = {
    Mode.NATIVE: 0,
    Mode.CROSS: 0,
    Mode.COMPAT: 1,
    Mode.EMULATED: 2,
    Mode.SYSTEM_EMULATED: 3,
    Mode.IMPOSSIBLE: 4,
}
ASSUMED_SLOWDOWN = {Mode.EMULATED: 8.0, Mode.SYSTEM_EMULATED: 15.0}
"""Where nothing was measured: shell and compilers under qemu-user were 4 to 14 times slower (measured)."""
_USUAL_PLACES = 4
SLOW_MODES = frozenset({Mode.EMULATED, Mode.SYSTEM_EMULATED})


@dataclass(frozen=True, slots=True)
class Offer:
    """What one node could do for one cell; `refused` says why it is not taken, and is empty where it could be."""

    node: Node
    mode: Mode
    why: str = ""
    slowdown: float = 0.0
    refused: str = ""
    recipe: Recipe = NO_RECIPE

    @property
    def speed_class(self) -> int:
        """Powers of two: what differs by less counts as equally fast, so that noise in a measurement moves nothing."""
        slowdown = self.slowdown or ASSUMED_SLOWDOWN.get(self.mode, 1.0)
        return round(math.log2(max(slowdown, 0.1)))


@dataclass(frozen=True, slots=True)
class Demand:
    """A cell that needs a node: its service, platform and wave."""

    service: Service
    platform: Platform
    wave: int

    @property
    def id(self) -> CellId:
        """The cell."""
        return CellId(self.service.name, self.platform)


@dataclass(slots=True)
class Loads:
    """How much work each node was given in each wave, per cell that it builds at once."""

    given: dict[tuple[int, str], float] = field(default_factory=dict)

    def of(self, wave: int, node: Node) -> float:
        """The work that a node has in a wave."""
        return self.given.get((wave, node.name), 0.0) / places(node)

    def add(self, wave: int, offer: Offer) -> None:
        """Note that a cell was given to a node; emulated cells count double."""
        key = (wave, offer.node.name)
        self.given[key] = self.given.get(key, 0.0) + takes(offer.mode)


def places(node: Node) -> int:
    """How many cells a node builds at once; an emulated one takes two places."""
    return node.parallel or _USUAL_PLACES


def takes(mode: Mode) -> int:
    """The places that a cell takes on its node."""
    return 2 if mode in SLOW_MODES else 1


def own_platform(node: Node) -> Platform | None:
    """The platform of the machine itself, which Dockerfiles see as BUILDPLATFORM; None where it is not known."""
    own = (entry.platform for entry in node.platforms if entry.mode in {Mode.NATIVE, Mode.SYSTEM_EMULATED})
    return next(own, None)


def ability(node: Node, platform: Platform) -> NodePlatform:
    """What a node can do for a platform; a higher variant of the same architecture serves a lower one."""
    exact = [entry for entry in node.platforms if entry.platform == platform]
    wider = [
        entry
        for entry in node.platforms
        if entry.platform.architecture == platform.architecture and entry.platform.accepts(platform)
    ]
    found = sorted(exact or wider, key=lambda entry: RANK[entry.mode])
    return found[0] if found else NodePlatform(platform, Mode.IMPOSSIBLE, "it does not list this platform")


def offer(node: Node, demand: Demand, recipes: Recipes) -> Offer:
    """What a node can do for a cell, before any policy."""
    if not node.is_up:
        return Offer(node, Mode.IMPOSSIBLE, refused=f"it is down: {node.status}")
    own = own_platform(node)
    if own is None:
        return Offer(node, Mode.IMPOSSIBLE, refused="it is not known what it runs natively")
    recipe = recipes(demand.service, demand.platform, own)
    target = ability(node, demand.platform)
    if recipe.execution(demand.platform) is None and target.mode is not Mode.NATIVE:
        start = Offer(node, Mode.CROSS, _why_cross(demand.platform), ability(node, own).slowdown, recipe=recipe)
    else:
        start = _taken(node, target, recipe, demand.platform)
    others = [entry for entry in recipe.executions if entry.platform != demand.platform]
    return _worst(start, [_executed(node, entry, recipe, own) for entry in others])


def _taken(node: Node, entry: NodePlatform, recipe: Recipe, platform: Platform) -> Offer:
    if entry.mode is Mode.IMPOSSIBLE:
        return Offer(node, entry.mode, refused=f"it cannot run {platform}: {entry.evidence}", recipe=recipe)
    return Offer(node, entry.mode, _why(node, entry, platform), entry.slowdown, recipe=recipe)


def _executed(node: Node, execution: Execution, recipe: Recipe, own: Platform) -> Offer:
    entry = ability(node, execution.platform)
    found = _taken(node, entry, recipe, execution.platform)
    if execution.platform == own:
        return found
    place = f"{execution.place.path}:{execution.place.line} always runs {execution.platform}"
    why = f"{place}; {found.why}" if found.why else ""
    refused = f"{place}; {found.refused}" if found.refused else ""
    return Offer(node, found.mode, why, found.slowdown, refused, recipe)


def _worst(start: Offer, others: Iterable[Offer]) -> Offer:
    worst = start
    for other in others:
        if RANK[other.mode] > RANK[worst.mode]:
            worst = other
    return worst


def _why_cross(platform: Platform) -> str:
    return f"nothing in the stages needed runs for {platform}, so any node builds it at full speed"


def _why(node: Node, entry: NodePlatform, platform: Platform) -> str:
    evidence = f" ({entry.evidence})" if entry.evidence else ""
    match entry.mode:
        case Mode.NATIVE:
            return f"{node.name} runs {platform} natively{evidence}"
        case Mode.COMPAT:
            return f"the processor of {node.name} also runs {platform}{evidence}"
        case Mode.EMULATED:
            return f"{node.name} emulates {platform}{_slower(entry)}{evidence}"
        case _:
            return f"{node.name} is a virtual machine without acceleration{_slower(entry)}{evidence}"


def _slower(entry: NodePlatform) -> str:
    return f", {entry.slowdown:.1f}x slower" if entry.slowdown > 1.0 else ""


def under_policy(found: Offer, demand: Demand) -> Offer:
    """The offer, refused where the service forbids emulation."""
    if found.refused or found.mode not in SLOW_MODES:
        return found
    if demand.service.emulation.of(demand.platform) is not Emulation.FORBID:
        return found
    refused = f"{found.why}, and {demand.service.name} forbids emulation for {demand.platform}"
    return Offer(found.node, found.mode, found.why, found.slowdown, refused, found.recipe)


def best(offers: Iterable[Offer], wave: int, loads: Loads) -> Offer | None:
    """The best offer that is not refused; None where there is none.

    Load decides between machines of one platform only. The platform of the machine is part of what a cell is built
    from (BUILDPLATFORM): if load moved a `cross` cell to another kind of machine, it would be built anew.
    """
    possible = [found for found in offers if not found.refused]
    if not possible:
        return None
    machines = list(dict.fromkeys(own_platform(found.node) for found in possible))

    def order(found: Offer) -> tuple[int, int, bool, int, float]:
        machine = machines.index(own_platform(found.node))
        native = found.mode is Mode.NATIVE
        return RANK[found.mode], found.speed_class, not native, machine, loads.of(wave, found.node)

    return min(possible, key=order)
