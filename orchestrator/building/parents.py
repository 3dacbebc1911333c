"""The images of parents that a cell is built on: for each name in its Dockerfile a digest for each platform."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestrator.core.plan import Cell, CellId, Plan
from orchestrator.core.result import CellResult
from orchestrator.dockerfile.graph import context_name


def parent_cells(plan: Plan, cell: Cell) -> Iterator[tuple[str, CellId]]:
    """Names of build contexts, and the cell that each stands for.

    A parent that is needed for two platforms has two names, `name::platform`: BuildKit's frontend asks for those first.
    """
    for link in plan.planned(cell.id.service).links:
        needed = [need for need in cell.needs if need.service == link.service]
        for need in needed:
            yield context_name(link.name) + (f"::{need.platform}" if len(needed) > 1 else ""), need


def parent_digests(plan: Plan, cell: Cell, made: Mapping[CellId, CellResult]) -> dict[str, str]:
    """Names of build contexts, and the digest of the image that each stands for."""
    return {name: made[need].descriptors[0].digest for name, need in parent_cells(plan, cell)}
