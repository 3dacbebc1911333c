"""What of a plan the registries hold already: they are no jobs, and the job that publishes gets their records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.building.keys import Key, Keys
from orchestrator.building.lookup import Found, Lookup
from orchestrator.building.memory import Memory
from orchestrator.building.published import PublishedIndexes
from orchestrator.building.record import write_record
from orchestrator.commands.run import timestamp
from orchestrator.core.errors import MabuildError
from orchestrator.core.image import OCI_MANIFEST, Descriptor
from orchestrator.core.plan import Cell, CellId, Plan
from orchestrator.core.result import CellResult, Outcome, Record
from orchestrator.planning.unchanged import Looked, with_unchanged

if TYPE_CHECKING:
    from orchestrator.building.options import Registry


@dataclass(slots=True)
class Known:
    """Looks up the cells of a plan by their keys. Safe for threads."""

    plan: Plan
    store: Registry
    found: dict[CellId, tuple[Key, Found]] = field(default_factory=dict)
    _keys: Keys = field(init=False)
    _lookup: Lookup = field(init=False)

    def __post_init__(self) -> None:
        published = PublishedIndexes(self.store, [planned.service for planned in self.plan.services])
        self._keys = Keys(self.plan, self.store)
        self._lookup = Lookup(self.store, published, {}, Memory(self.store, lambda _: None), timestamp)

    def marked(self) -> Plan:
        """The plan, with the cells that are there marked as unchanged."""
        return with_unchanged(self.plan, self._look)

    def write_records(self, folder: Path) -> None:
        """The records of the unchanged cells, as the job that builds a cell writes its own."""
        for cell, (key, found) in self.found.items():
            planned = self.plan.planned(cell.service).service
            of_plan = next(one for one in self.plan.cells if one.id == cell)
            record = Record(
                cell=cell,
                key=key.value,
                digest=found.digest,
                descriptors=found.entries,
                repositories=tuple(image.name for image in planned.images),
                node=of_plan.node,
                mode=of_plan.mode,
                seconds=0.0,
                attempts=0,
                created=timestamp(),
            )
            write_record(folder, record)

    def _look(self, cell: Cell, parents: Mapping[CellId, str]) -> Looked:
        """A registry that does not answer, or asks for a login, knows nothing: the cell is planned to be built."""
        made = {parent: _image(parent, digest) for parent, digest in parents.items()}
        try:
            key = self._keys.of(cell, made)
            found = self._lookup.find(self.plan.planned(cell.id.service).service, cell.id, key)
        except MabuildError:
            return Looked("")
        if not found:
            return Looked(key.value, open=key.open)
        self.found[cell.id] = (key, found[0])
        return Looked(key.value, found[0].entries[0].digest, key.open)


def _image(cell: CellId, digest: str) -> CellResult:
    return CellResult(cell, Outcome.UNCHANGED, digest, (Descriptor(OCI_MANIFEST, digest, -1, cell.platform),))
