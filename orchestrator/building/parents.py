"""The images of parents that a cell is built on, by digest, so that Dockerfiles stay unchanged and wait for no tag."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from orchestrator.building.index import index_document
from orchestrator.building.layouts import Workshop
from orchestrator.building.options import Goal
from orchestrator.core.fleet import Pairs, Service
from orchestrator.core.plan import Cell, CellId, Plan
from orchestrator.core.result import CellResult
from orchestrator.dockerfile.graph import context_name
from orchestrator.registry.store import WritableStore


def parent_cells(plan: Plan, cell: Cell) -> Iterator[tuple[str, tuple[CellId, ...]]]:
    """Names of build contexts, and the cells that each stands for: two where a parent is needed for two platforms."""
    for link in plan.planned(cell.id.service).links:
        yield context_name(link.name), tuple(need for need in cell.needs if need.service == link.service)


def parent_digests(plan: Plan, cell: Cell, made: Mapping[CellId, CellResult]) -> dict[str, str]:
    """For a key: names of build contexts for each platform, and the digest of the image that each stands for."""
    return {
        f"{name} for {need.platform}": made[need].descriptors[0].digest
        for name, needs in parent_cells(plan, cell)
        for need in needs
    }


@dataclass(frozen=True, slots=True)
class Parents:
    """Hands parents to builds. `made` holds their results, `workshop` their layouts where nothing is pushed."""

    plan: Plan
    goal: Goal
    store: WritableStore
    workshop: Workshop
    made: Mapping[CellId, CellResult]

    def contexts(self, cell: Cell) -> Pairs:
        """The build contexts of a cell that stand for other services.

        A build context has one value for all platforms (buildx refuses names with a platform), so a parent that is
        needed for two is handed over as an index of the two, which is written first.
        """
        return tuple((name, self._image(needs)) for name, needs in parent_cells(self.plan, cell) if needs)

    def _image(self, needs: tuple[CellId, ...]) -> str:
        service = self.plan.planned(needs[0].service).service
        digest = self.made[needs[0]].descriptors[0].digest if len(needs) == 1 else self._join(service, needs)
        if self.goal is Goal.PUSH:
            return f"docker-image://{service.images[0].name}@{digest}"
        directory = self.workshop.directory(needs[0]) if len(needs) == 1 else self.workshop.joined(service, needs)
        return f"oci-layout://{directory}@{digest}"

    def _join(self, service: Service, needs: tuple[CellId, ...]) -> str:
        cells = [replace(self.made[need], descriptors=self.made[need].descriptors[:1]) for need in needs]
        document = index_document(cells, ())
        if self.goal is Goal.PUSH:
            return self.store.put_manifest(service.images[0].with_digest(document.digest), document)
        self.workshop.join(self.workshop.joined(service, needs), service, cells, document)
        return document.digest
