"""MV503 attestation-parity."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Entry, Evidence


@check("MV503", "attestation-parity", Severity.WARNING)
def attestation_parity(evidence: Evidence) -> Iterator[Problem]:
    """One platform has attestations that another lacks.

    Policies that demand provenance or an SBOM let the image run on one architecture and refuse it on the other.

    Build all platforms with the same `attest:` settings.
    """
    images = evidence.images
    if any(attestation.manifest is None for attestation in evidence.attestations):
        return
    types = {entry.descriptor.digest: _types(evidence, entry) for entry in images}
    every = frozenset().union(*types.values())
    for entry in images:
        lacking = sorted(every - types[entry.descriptor.digest])
        if lacking:
            having = next(other for other in images if lacking[0] in types[other.descriptor.digest])
            message = f"{entry.label} has no attestation of type {', '.join(lacking)}; {having.label} has"
            yield Problem(message, platform=entry.label)


def _types(evidence: Evidence, entry: Entry) -> frozenset[str]:
    return frozenset().union(*(one.predicate_types for one in evidence.attestations_of(entry.descriptor.digest)))
