"""How long a plan takes: from durations of earlier builds, over the nodes' parallel places."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping

from orchestrator.core.plan import Cell, CellId, Mode, Node, Outlook
from orchestrator.planning.assign import ASSUMED_SLOWDOWN, places, takes

History = Mapping[tuple[CellId, Mode], float]
"""Seconds that a cell took when it was last built in a mode."""


def seconds(cell: CellId, mode: Mode, slowdown: float, history: History) -> float:
    """The expected duration of a cell in a mode, 0.0 where nothing is known.

    Where only another mode was seen, the slow-down of the emulation converts between them.
    """
    known = history.get((cell, mode))
    if known is not None:
        return known
    factor = slowdown or ASSUMED_SLOWDOWN.get(mode, 1.0)
    for other in (Mode.NATIVE, Mode.CROSS, Mode.COMPAT):
        if (cell, other) in history:
            return history[cell, other] * factor
    for other in (Mode.EMULATED, Mode.SYSTEM_EMULATED):
        if (cell, other) in history:
            return history[cell, other] / ASSUMED_SLOWDOWN[other] * factor
    return 0.0


def remaining(cells: Iterable[Cell]) -> dict[CellId, float]:
    """The longest way from the start of every cell to the end of all that depend on it, in seconds."""
    ordered = sorted(cells, key=lambda cell: -cell.wave)
    tails: dict[CellId, float] = {}
    found: dict[CellId, float] = {}
    for cell in ordered:
        found[cell.id] = _duration(cell) + tails.get(cell.id, 0.0)
        for parent in cell.needs:
            tails[parent] = max(tails.get(parent, 0.0), found[cell.id])
    return found


def _duration(cell: Cell) -> float:
    return 0.0 if cell.unchanged else cell.estimate_seconds


def critical_path(cells: tuple[Cell, ...]) -> tuple[CellId, ...]:
    """The chain of cells that takes longest, first cell first."""
    longest = remaining(cells)
    children: dict[CellId, list[CellId]] = {}
    for cell in cells:
        for parent in cell.needs:
            children.setdefault(parent, []).append(cell.id)
    roots = [cell.id for cell in cells if not cell.needs]
    way: list[CellId] = []
    following = roots
    while following:
        way.append(max(following, key=lambda cell: longest[cell]))
        following = children.get(way[-1], [])
    return tuple(way)


def outlook(cells: tuple[Cell, ...], nodes: tuple[Node, ...]) -> Outlook:
    """The expected course of a plan."""
    as_planned = makespan(cells, nodes, {})
    native = {cell.id: _native_seconds(cell, nodes) for cell in cells}
    unknown = sum(not cell.unchanged and not cell.estimate_seconds for cell in cells)
    saving = max(0.0, as_planned - makespan(cells, nodes, native))
    return Outlook(as_planned, critical_path(cells), unknown, saving)


def _native_seconds(cell: Cell, nodes: tuple[Node, ...]) -> float:
    if cell.mode not in ASSUMED_SLOWDOWN:
        return _duration(cell)
    entries = (entry for node in nodes if node.name == cell.node for entry in node.platforms)
    measured = next((entry.slowdown for entry in entries if entry.platform == cell.id.platform), 0.0)
    return _duration(cell) / max(1.0, measured or ASSUMED_SLOWDOWN[cell.mode])


def makespan(cells: tuple[Cell, ...], nodes: tuple[Node, ...], durations: Mapping[CellId, float]) -> float:
    """The end of all cells in seconds when every node takes the longest remaining path first."""
    free = {node.name: places(node) for node in nodes}
    sizes = {cell.id: min(takes(cell.mode), free.setdefault(cell.node, 1)) for cell in cells}
    rest = remaining(cells)
    waiting = {cell.id: set(cell.needs) for cell in cells}
    by_id = {cell.id: cell for cell in cells}
    running: list[tuple[float, CellId]] = []
    now = 0.0
    while waiting or running:
        ready = sorted((cell for cell, parents in waiting.items() if not parents), key=lambda cell: -rest[cell])
        for cell in ready:
            node = by_id[cell].node
            if free[node] >= sizes[cell]:
                free[node] -= sizes[cell]
                del waiting[cell]
                heapq.heappush(running, (now + durations.get(cell, _duration(by_id[cell])), cell))
        if not running:
            break
        now, done = heapq.heappop(running)
        free[by_id[done].node] += sizes[done]
        for parents in waiting.values():
            parents.discard(done)
    return now
