"""Leaves out what a sparse store does not hold: docker's engine shows a whole list and has what it pulled."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.verifying.evidence import Entry, Evidence, FaultKind
from orchestrator.verifying.source import Source


def without_absent(source: Source, evidence: Evidence) -> Evidence:
    """The evidence without the platforms of which the store lacks the manifest, the configuration or a layer."""
    missing = {fault.digest for fault in evidence.faults if fault.kind is FaultKind.MISSING}
    absent = [entry for entry in evidence.images if _is_absent(source, entry, missing)]
    gone = {entry.descriptor.digest for entry in absent}
    return replace(
        evidence,
        entries=tuple(entry for entry in evidence.entries if entry.descriptor.digest not in gone),
        attestations=tuple(one for one in evidence.attestations if one.manifest is not None and one.image not in gone),
        faults=tuple(fault for fault in evidence.faults if fault.kind is not FaultKind.MISSING),
        absent=tuple(dict.fromkeys(entry.label for entry in absent)),
    )


def _is_absent(source: Source, entry: Entry, missing: set[str]) -> bool:
    if entry.manifest is None or entry.manifest.config.digest in missing:
        return entry.descriptor.digest in missing or entry.manifest is not None
    return any(not source.has_blob(layer.digest) for layer in entry.layers)
