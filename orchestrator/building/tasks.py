"""The graph of a build: a task for each cell, one for each index, and how much of what each of them takes."""

from __future__ import annotations

from orchestrator.building.options import Goal, Options
from orchestrator.building.profile import profile_of
from orchestrator.building.schedule import Limits, Task
from orchestrator.core.fleet import Service
from orchestrator.core.plan import Cell, CellId, Mode, Plan
from orchestrator.core.platform import Platform

_NODE_CELLS = 8
_SLOW = frozenset({Mode.EMULATED, Mode.SYSTEM_EMULATED})
_INDEX_SECONDS = 1.0
_UNKNOWN_SECONDS = 30.0
_SLOWER = 5.0
"""What emulation is taken to cost where nothing was measured; builds reported in issues ran 4 to 10 times as long."""


def tasks_of(plan: Plan, options: Options) -> tuple[Task, ...]:
    """The tasks in plan order, cells first. Those that the cells asked for are built on are among them."""
    names = _with_parents(plan, options.only)
    cells = tuple(cell for cell in plan.cells if cell.id in names)
    tasks = tuple(
        Task(
            name=str(cell.id),
            needs=tuple(str(need) for need in cell.needs),
            takes=(
                (node_limit(cell.node), 2 if cell.mode in _SLOW else 1),
                *((registry_limit(host), 1) for host in _hosts(plan, cell)),
            ),
            seconds=cell.estimate_seconds or _UNKNOWN_SECONDS * (_SLOWER if cell.mode in _SLOW else 1.0),
        )
        for cell in cells
    )
    if options.only or options.goal is Goal.LOAD:
        return tasks
    return (*tasks, *_index_tasks(plan, options))


def _with_parents(plan: Plan, only: frozenset[CellId]) -> set[CellId]:
    """The cells asked for, and all that they are built on; all cells where none is named."""
    needs = {cell.id: cell.needs for cell in plan.cells}
    waiting = list(only) or list(needs)
    found: set[CellId] = set()
    while waiting:
        cell = waiting.pop()
        if cell not in found and cell in needs:
            found.add(cell)
            waiting += needs[cell]
    return found


def _index_tasks(plan: Plan, options: Options) -> tuple[Task, ...]:
    return tuple(
        Task(
            name=planned.service.name,
            needs=tuple(str(cell.id) for cell in plan.cells_of(planned.service.name)),
            seconds=_INDEX_SECONDS,
        )
        for planned in plan.services
        if options.goal is not Goal.PUSH or not lacking_platforms(plan, planned.service)
    )


def lacking_platforms(plan: Plan, service: Service) -> tuple[Platform, ...]:
    """The platforms of a service that are not part of this run: a list without them would lose them."""
    built = {cell.id.platform for cell in plan.cells_of(service.name)}
    return tuple(platform for platform in service.platforms if platform not in built)


def limits_of(plan: Plan, options: Options) -> Limits:
    """How much of everything there is: cells at once in all, on each node, and against each registry."""
    nodes = {node_limit(node.name): node.parallel or _NODE_CELLS for node in plan.nodes}
    hosts = {host for cell in plan.cells for host in _hosts(plan, cell)}
    registries = {registry_limit(host): profile_of(host, plan.fleet.registries).parallel for host in hosts}
    return Limits(options.parallel, {**nodes, **registries})


def node_limit(name: str) -> str:
    """The name under which a node is limited."""
    return f"node {name}"


def registry_limit(host: str) -> str:
    """The name under which a registry is limited."""
    return f"registry {host}"


def _hosts(plan: Plan, cell: Cell) -> tuple[str, ...]:
    images = plan.planned(cell.id.service).service.images
    return tuple(dict.fromkeys(image.registry for image in images))
