"""Asks for every distinct layer whether it is there, without fetching it: one HEAD for each."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.verifying.evidence import Evidence, Fault, FaultKind, Part
from orchestrator.verifying.source import Source, attempt
from orchestrator.verifying.statements import is_read


def look_for_layers(source: Source, evidence: Evidence) -> Evidence:
    """The evidence with `blobs` filled in, and faults for the layers that lack."""
    layers = [layer for entry in evidence.images for layer in entry.layers if not layer.urls]
    attested = [
        layer for one in evidence.attestations if one.manifest for layer in one.manifest.layers if not is_read(layer)
    ]
    digests = [
        one for one in dict.fromkeys(layer.digest for layer in (*layers, *attested)) if one not in evidence.blobs
    ]
    answers = source.map(lambda digest: (digest, *_ask(source, digest)), digests)
    present = {digest: found for digest, found, faults in answers if not faults}
    faults = tuple(fault for _, _, faults in answers for fault in faults)
    missing = tuple(Fault(FaultKind.MISSING, Part.LAYER, digest, "") for digest, found in present.items() if not found)
    return replace(evidence, blobs={**evidence.blobs, **present}, faults=(*evidence.faults, *faults, *missing))


def _ask(source: Source, digest: str) -> tuple[bool, tuple[Fault, ...]]:
    found, faults = attempt(Part.LAYER, digest, "", lambda: source.has_blob(digest))
    return bool(found), faults
