"""Records kept in the registry itself, so that another machine goes on where a run was cut off.

A record is an OCI index without manifests (image-spec allows that) in the repository `mabuild-records` beside that of
the image, at a tag that is the cell's key. Once a cell is published its list is the memory, and the record can go.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock

from orchestrator.building.options import Registry
from orchestrator.building.record import parse_record, record_fields
from orchestrator.core.errors import MabuildError
from orchestrator.core.fleet import Service
from orchestrator.core.image import OCI_INDEX, Document
from orchestrator.core.plan import CellId
from orchestrator.core.reference import Reference
from orchestrator.core.result import Record
from orchestrator.registry.media import parse_index

REPOSITORY = "mabuild-records"
_AT_ONCE = 8
_TYPE = "application/vnd.mabuild.record.v1+json"
_RECORD = "dev.mabuild.record"


@dataclass(slots=True)
class Memory:
    """Remembers cells by key. Trouble with it fails nothing: `warn` hears of it once, and no more is written."""

    store: Registry
    warn: Callable[[str], None]
    is_silent: bool = False
    kept: dict[CellId, Reference] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def find(self, service: Service, cell: CellId, key: str) -> tuple[Record, ...]:
        """The record of a cell with this key, or nothing."""
        try:
            document = self.store.manifest(place(service, key))
            annotations = dict(parse_index(document).annotations)
            record = parse_record(json.loads(annotations[_RECORD]))
        except (MabuildError, KeyError, TypeError, ValueError, RecursionError):
            return ()
        if (record.cell, record.key) != (cell, key):
            return ()
        self.kept[cell] = place(service, key).with_digest(document.digest)
        return (record,)

    def remember(self, service: Service, record: Record) -> None:
        """Keep a record."""
        if self.is_silent or not record.key:
            return
        text = json.dumps(record_fields(record), ensure_ascii=False)
        content = {
            "schemaVersion": 2,
            "mediaType": OCI_INDEX,
            "artifactType": _TYPE,
            "manifests": [],
            "annotations": {_RECORD: text},
        }
        reference = place(service, record.key)
        document = Document.of(OCI_INDEX, json.dumps(content).encode())
        try:
            self.store.put_manifest(reference, document)
            self.kept[record.cell] = reference.with_digest(document.digest)
        except MabuildError as error:
            self._warn_once(
                f"{reference.name} takes no records, so another machine cannot go on from here: {error.message}"
            )

    def _warn_once(self, text: str) -> None:
        with self._lock:
            is_first, self.is_silent = not self.is_silent, True
        if is_first:
            self.warn(text)

    def forget(self, cells: Iterable[CellId]) -> None:
        """Remove the records of cells that are published now, where the registry can delete."""
        published = [self.kept.pop(cell) for cell in cells if cell in self.kept]
        if published:
            with ThreadPoolExecutor(_AT_ONCE, "record") as pool:
                list(pool.map(self._delete, published))

    def _delete(self, reference: Reference) -> None:
        with suppress(MabuildError):
            self.store.delete_manifest(reference)


def place(service: Service, key: str) -> Reference:
    """Where the record of a key is kept: beside the service's first image."""
    image = service.images[0]
    above, _, _ = image.repository.rpartition("/")
    return Reference(image.registry, f"{above}/{REPOSITORY}" if above else REPOSITORY, key.removeprefix("sha256:"))
