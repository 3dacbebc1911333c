"""The bytes of a service's index: OCI types, platforms in plan order, each image followed by its attestations."""

from __future__ import annotations

import json
from collections.abc import Sequence

from orchestrator.building.entries import require_subjects
from orchestrator.core.errors import BuildError
from orchestrator.core.fleet import Pairs
from orchestrator.core.image import OCI_INDEX, Document
from orchestrator.core.platform import Platform
from orchestrator.core.result import CellResult
from orchestrator.registry.media import descriptor_text


def index_document(cells: Sequence[CellResult], annotations: Pairs) -> Document:
    """The index of cells in the order given; the same cells and annotations always give the same bytes."""
    entries = tuple(entry for cell in cells for entry in cell.descriptors)
    require_subjects(entries)
    content: dict[str, object] = {
        "schemaVersion": 2,
        "mediaType": OCI_INDEX,
        "manifests": [json.loads(descriptor_text(entry)) for entry in entries],
    }
    if annotations:
        content["annotations"] = dict(annotations)
    return Document.of(OCI_INDEX, json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode())


def require_platforms(service: str, planned: Sequence[Platform], cells: Sequence[CellResult]) -> None:
    """The gate: every planned platform was built, once, and nothing else was. BuildError names the difference."""
    built = [entry.platform for cell in cells for entry in cell.descriptors if not entry.is_attestation]
    missing = [str(platform) for platform in planned if platform not in built]
    surplus = [str(platform) for platform in built if platform not in planned]
    twice = sorted({str(platform) for platform in built if built.count(platform) > 1})
    faults = [
        f"{what}: {', '.join(names)}"
        for what, names in (("missing", missing), ("not planned", surplus), ("twice", twice))
        if names
    ]
    if faults:
        raise BuildError(f"{service} is not published, its platforms are not those of the plan; {'; '.join(faults)}")
