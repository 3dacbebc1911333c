"""Record files: what became of one cell, told to another machine or to the next run."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from orchestrator.core.errors import MabuildError, UsageError
from orchestrator.core.image import OCI_INDEX, Descriptor, Document
from orchestrator.core.plan import CellId, Mode
from orchestrator.core.reference import is_digest
from orchestrator.core.result import Record
from orchestrator.registry.media import descriptor_text, parse_index

VERSION = 1
_LONGEST = 4 * 1024 * 1024
_MOST = 10_000


def record_fields(record: Record) -> dict[str, object]:
    """A record as JSON has it; entries of the index are kept as they were read."""
    return {
        "version": VERSION,
        "cell": str(record.cell),
        "service": record.cell.service,
        "platform": str(record.cell.platform),
        "key": record.key,
        "digest": record.digest,
        "descriptors": [json.loads(descriptor_text(entry)) for entry in record.descriptors],
        "repositories": list(record.repositories),
        "node": record.node,
        "mode": record.mode.value,
        "seconds": round(record.seconds, 3),
        "attempts": record.attempts,
        "created": record.created,
    }


def record_path(folder: Path, cell: CellId) -> Path:
    """The file of a cell; one each, so that machines never write the same one."""
    return folder / f"{cell.service}-{cell.platform.slug}.json"


def write_record(folder: Path, record: Record) -> Path:
    """Write it whole or not at all; UsageError where the folder cannot be written."""
    path = record_path(folder, record.cell)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder, prefix=".record-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(record_fields(record), file, indent=2, ensure_ascii=False)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UsageError(f"the record {path} cannot be written: {error.strerror}") from error
    return path


def read_records(folder: Path) -> tuple[Record, ...]:
    """All records below a folder (CI artifacts come in folders of their own); UsageError for one that is none."""
    paths = sorted(path for path in folder.rglob("*.json") if not path.name.startswith("."))
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder of records")
    if len(paths) > _MOST:
        raise UsageError(f"{folder} holds more than {_MOST} files")
    found: dict[CellId, tuple[Path, Record]] = {}
    for path in paths:
        record = read_record(path)
        before = found.get(record.cell)
        if before and before[1].digest != record.digest:
            raise UsageError(f"{before[0]} and {path} are two different records of {record.cell}")
        found[record.cell] = (path, record)
    return tuple(record for _, record in found.values())


def read_record(path: Path) -> Record:
    """One record; UsageError says what is wrong with it."""
    try:
        with path.open("rb") as file:
            content = file.read(_LONGEST + 1)
    except OSError as error:
        raise UsageError(f"the record {path} cannot be read: {error.strerror}") from error
    if len(content) > _LONGEST:
        raise UsageError(f"{path} is larger than a record can be")
    try:
        return parse_record(json.loads(content))
    except (ValueError, RecursionError, KeyError, TypeError, MabuildError) as error:
        said = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise UsageError(
            f"{path} is no record of mabuild: {said}", hint="remove it, or build the cell again"
        ) from error


def parse_record(fields: object) -> Record:
    """A record from its JSON; ValueError, KeyError, TypeError or a MabuildError where it is none."""
    if not isinstance(fields, dict):
        raise TypeError("it is no JSON object")
    if fields.get("version") != VERSION:
        raise ValueError(f"its version is {fields.get('version')!r}, this mabuild knows {VERSION}")
    cell = CellId.parse(str(fields["cell"]))
    digest = str(fields["digest"])
    if not is_digest(digest):
        raise ValueError(f"{digest!r} is not a digest")
    return Record(
        cell=cell,
        key=str(fields["key"]),
        digest=digest,
        descriptors=_descriptors(fields, cell),
        repositories=tuple(str(name) for name in fields["repositories"]),
        node=str(fields["node"]),
        mode=Mode(fields["mode"]),
        seconds=float(fields["seconds"]),
        attempts=int(fields["attempts"]),
        created=str(fields["created"]),
    )


def _descriptors(fields: Mapping[str, object], cell: CellId) -> tuple[Descriptor, ...]:
    text = json.dumps({"schemaVersion": 2, "manifests": fields["descriptors"]})
    entries = parse_index(Document.of(OCI_INDEX, text.encode())).manifests
    images = [entry for entry in entries if not entry.is_attestation]
    if len(images) != 1 or images[0].platform != cell.platform:
        raise ValueError(f"its descriptors do not hold one image for {cell.platform}")
    if not all(is_digest(entry.digest) and entry.size >= 0 for entry in entries):
        raise ValueError("one of its descriptors has no digest or size")
    return entries
