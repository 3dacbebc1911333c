"""MV501 attestation-dangling."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.core.image import ATTESTATION, REFERENCE_TYPE
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Evidence, short


@check("MV501", "attestation-dangling", Severity.ERROR)
def attestation_dangling(evidence: Evidence) -> Iterator[Problem]:
    """An attestation in the list speaks of an image that is not in the list.

    Nobody finds the provenance or SBOM of the image that is there, and what is shown belongs to another build. It
    happens when one platform of a list is replaced and its old attestation stays.

    Put the list together from whole builds: each image with its own attestation.
    """
    images = {entry.descriptor.digest for entry in evidence.entries}
    for attestation in evidence.attestations:
        if attestation.descriptor.annotation(REFERENCE_TYPE) != ATTESTATION or attestation.image in images:
            continue
        about = short(attestation.image) if attestation.image else "nothing"
        message = f"the attestation {short(attestation.descriptor.digest)} speaks of {about}, which is not in the list"
        yield Problem(message)
