"""Builds without a registry: cells as OCI layouts of their own, joined to one layout for each service."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.building.entries import entries_of
from orchestrator.core.fleet import Service
from orchestrator.core.image import Descriptor, Document
from orchestrator.core.plan import CellId
from orchestrator.core.result import CellResult
from orchestrator.registry.layout import DirectoryContent, LayoutStore
from orchestrator.registry.layout_writer import write_layout


@dataclass(frozen=True, slots=True)
class Workshop:
    """A folder that holds the layouts of cells while a build runs."""

    folder: Path

    def directory(self, cell: CellId) -> Path:
        """The layout of a cell."""
        return self.folder / cell.service / cell.platform.slug

    def joined(self, service: Service, cells: Sequence[CellId]) -> Path:
        """A layout of some cells of a service."""
        return self.folder / service.name / "+".join(cell.platform.slug for cell in cells)

    def entries(self, service: Service, cell: CellId, digest: str) -> tuple[Descriptor, ...]:
        """The entries of a cell that was built here."""
        store = LayoutStore(DirectoryContent(self.directory(cell)))
        return entries_of(store.manifest(service.images[0].with_digest(digest)), cell.platform)

    def join(self, directory: Path, service: Service, cells: Sequence[CellResult], document: Document) -> None:
        """Write a service's index with all its images to a folder, whole or not at all."""
        parts = [
            (LayoutStore(DirectoryContent(self.directory(cell.id))), service.images[0].with_digest(entry.digest))
            for cell in cells
            for entry in cell.descriptors
        ]
        names = tuple(image.with_tag(tag) for image in service.images for tag in service.tags)
        write_layout(directory, document, parts, names=names)
