"""MV502 attestation-subject-mismatch."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Attestation, Evidence, short


@check("MV502", "attestation-subject-mismatch", Severity.ERROR)
def attestation_subject_mismatch(evidence: Evidence) -> Iterator[Problem]:
    """An attestation's subject is another image than the one that it is attached to.

    The list's annotation, the manifest's `subject` (BuildKit since 0.31) and the statement's own subject have to name
    the same digest, and the statement has to be of the type that its layer claims. Policy engines reject the image
    otherwise, or trust the wrong one.

    Build the image again with its attestations; do not copy attestations between builds.
    """
    labels = {entry.descriptor.digest: entry.label for entry in evidence.entries}
    for attestation in evidence.attestations:
        label = labels.get(attestation.image)
        if label is not None:
            yield from _problems(attestation, label)


def _problems(attestation: Attestation, label: str) -> Iterator[Problem]:
    name = f"the attestation {short(attestation.descriptor.digest)}"
    subject = attestation.manifest.subject if attestation.manifest else ""
    if subject and subject != attestation.image:
        message = f"{name} is attached to {short(attestation.image)}, but its subject is {short(subject)}"
        yield Problem(message, platform=label)
    for statement in attestation.statements:
        if statement.subjects and attestation.image not in statement.subjects:
            message = f"{name}: its {statement.predicate_type} statement is about {short(statement.subjects[0])}"
            yield Problem(f"{message}, not {short(attestation.image)}", platform=label)
        if statement.claimed_type and statement.claimed_type != statement.predicate_type:
            holds = statement.predicate_type or "nothing"
            yield Problem(f"{name}: a layer claims {statement.claimed_type} and holds {holds}", platform=label)
