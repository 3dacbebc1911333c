"""What a build would find unchanged, without building: keys and published digests for a plan that is only shown."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.building.keys import External, Keys
from orchestrator.building.published import PublishedIndexes
from orchestrator.core.errors import MabuildError
from orchestrator.core.image import Descriptor
from orchestrator.core.plan import Cell, CellId, Plan
from orchestrator.core.result import CellResult, Outcome
from orchestrator.registry.store import Store


def forecast(plan: Plan, store: Store, external: External) -> Plan:
    """The plan with keys, and with the digests of cells that the registry holds already.

    A cell whose parent has to be built has no key yet. Where a registry does not answer nothing is known, and nothing
    is said; the build itself will tell.
    """
    keys = Keys(plan, external)
    published = PublishedIndexes(store, [planned.service for planned in plan.services])
    known: dict[CellId, CellResult] = {}
    cells = []
    for cell in plan.cells:
        found, images = _looked_up(plan, cell, keys, published, known)
        cells.append(found)
        if images:
            known[cell.id] = CellResult(cell.id, Outcome.UNCHANGED, images[0].digest, images)
    return replace(plan, cells=tuple(cells))


def _looked_up(
    plan: Plan, cell: Cell, keys: Keys, published: PublishedIndexes, known: dict[CellId, CellResult]
) -> tuple[Cell, tuple[Descriptor, ...]]:
    if not all(need in known for need in cell.needs):
        return cell, ()
    service = plan.planned(cell.id.service).service
    try:
        key = keys.of(cell, known)
        images = tuple(
            image
            for index in published.of(service.name).indexes
            for image in index.image(cell.id.platform, key.value)
            if not key.open or service.max_age
        )
    except MabuildError:
        return cell, ()
    return replace(cell, key=key.value, unchanged_digest=images[0].digest if images else ""), images
