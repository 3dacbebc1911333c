"""Fetches the in-toto statements of attestations: all provenance, and what else is small."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from orchestrator.core.image import Descriptor
from orchestrator.verifying.evidence import Attestation, Evidence, Fault, Part, Statement
from orchestrator.verifying.provenance import read_statement
from orchestrator.verifying.source import Source, attempt

PREDICATE_TYPE = "in-toto.io/predicate-type"
IN_TOTO = "application/vnd.in-toto+json"
_SMALL = 1 << 20


def read_statements(source: Source, evidence: Evidence) -> Evidence:
    """The evidence with the statements of its attestations; large SBOMs stay where they are."""
    reads = source.map(lambda attestation: _read(source, attestation), evidence.attestations)
    return replace(
        evidence,
        attestations=tuple(attestation for attestation, _ in reads),
        faults=(*evidence.faults, *chain.from_iterable(faults for _, faults in reads)),
    )


def is_read(layer: Descriptor) -> bool:
    """Whether a layer of an attestation manifest is a statement that is fetched."""
    wanted = "provenance" in layer.annotation(PREDICATE_TYPE) or 0 <= layer.size <= _SMALL
    return layer.media_type == IN_TOTO and wanted


def _read(source: Source, attestation: Attestation) -> tuple[Attestation, tuple[Fault, ...]]:
    layers = attestation.manifest.layers if attestation.manifest else ()
    reads = [_statement(source, layer) for layer in layers if is_read(layer)]
    statements = tuple(statement for statement, _ in reads if statement is not None)
    return replace(attestation, statements=statements), tuple(chain.from_iterable(faults for _, faults in reads))


def _statement(source: Source, layer: Descriptor) -> tuple[Statement | None, tuple[Fault, ...]]:
    def read() -> Statement:
        return read_statement(source.blob(layer, source.means.limits.statement), layer.annotation(PREDICATE_TYPE))

    return attempt(Part.STATEMENT, layer.digest, "", read)
