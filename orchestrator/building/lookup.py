"""Whether a cell is there already: in the published index, in a record of this machine, or in one of the registry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from orchestrator.building.entries import BUILT
from orchestrator.building.keys import Key
from orchestrator.building.memory import Memory
from orchestrator.building.published import PublishedIndexes
from orchestrator.core.errors import MabuildError
from orchestrator.core.fleet import Service
from orchestrator.core.image import Descriptor
from orchestrator.core.plan import CellId
from orchestrator.core.result import Record
from orchestrator.registry.store import Store


@dataclass(frozen=True, slots=True)
class Found:
    """A cell that need not be built: its entries, and where it was found."""

    entries: tuple[Descriptor, ...]
    digest: str
    where: str


@dataclass(slots=True)
class Lookup:
    """Looks for cells. `records` are those of this machine; `now` gives the time as RFC 3339."""

    store: Store
    published: PublishedIndexes
    records: dict[CellId, Record]
    memory: Memory
    now: Callable[[], str]

    def find(self, service: Service, cell: CellId, key: Key) -> tuple[Found, ...]:
        """The cell, if it was built from the same key and is not too old; nothing where it has to be built."""
        if key.open and not service.max_age:
            return ()
        for found in (self._in_index(service, cell, key.value), *self._in_records(service, cell, key.value)):
            if found and self._is_young(service, found[0].entries[0]):
                return found
        found = self._in_memory(service, cell, key.value)
        return found if found and self._is_young(service, found[0].entries[0]) else ()

    def recorded(self, service: Service, cell: CellId) -> tuple[Found, ...]:
        """The cell as a record of this machine has it, whatever it was built from."""
        record = self.records.get(cell)
        return self._checked(service, record, "record") if record else ()

    def _in_index(self, service: Service, cell: CellId, key: str) -> tuple[Found, ...]:
        for index in self.published.of(service.name).indexes:
            entries = index.image(cell.platform, key)
            if entries:
                return (Found(entries, entries[0].digest, "published"),)
        return ()

    def _in_records(self, service: Service, cell: CellId, key: str) -> tuple[tuple[Found, ...], ...]:
        record = self.records.get(cell)
        return (self._checked(service, record, "record"),) if record and record.key == key else ()

    def _in_memory(self, service: Service, cell: CellId, key: str) -> tuple[Found, ...]:
        records = self.memory.find(service, cell, key)
        return self._checked(service, records[0], "record in the registry") if records else ()

    def _checked(self, service: Service, record: Record, where: str) -> tuple[Found, ...]:
        """What a record tells of, if all repositories still hold it."""
        if not {image.name for image in service.images} <= set(record.repositories):
            return ()
        try:
            for image in service.images:
                self.store.resolve(image.with_digest(record.descriptors[0].digest))
        except MabuildError:
            return ()
        return (Found(record.descriptors, record.digest, where),)

    def _is_young(self, service: Service, image: Descriptor) -> bool:
        if not service.max_age:
            return True
        try:
            age = datetime.fromisoformat(self.now()) - datetime.fromisoformat(image.annotation(BUILT))
        except (ValueError, TypeError):
            return False
        return age.total_seconds() <= service.max_age
