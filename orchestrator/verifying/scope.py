"""Says in sentences what a verification proved, what it could not check, and what its level does not look at."""

from __future__ import annotations

from collections import Counter

from orchestrator.core.fleet import Level
from orchestrator.core.verification import VerifiedPlatform
from orchestrator.verifying.check import reaches
from orchestrator.verifying.content import asked_for
from orchestrator.verifying.content_scope import content_proved
from orchestrator.verifying.evidence import Entry, Evidence, Fault, FaultKind, Part, short
from orchestrator.verifying.memory import Memory
from orchestrator.verifying.printable import printable
from orchestrator.verifying.provenance import build_mode
from orchestrator.verifying.running import not_run, ran

_NOT_LOOKED_AT = (
    (Level.EXIST, "whether the layers are there"),
    (Level.ENTRYPOINT, "what is inside the layers"),
    (Level.FULL, "files that the entry point does not need"),
)


def out_of_scope(evidence: Evidence) -> tuple[str, ...]:
    """What was not to be looked at: by the nature of the level, and because nobody asked for the platform."""
    level = evidence.expectation.level
    sentences = [f"{text} (level {level})" for needed, text in _NOT_LOOKED_AT if not reaches(level, needed)][:1]
    asked = {id(entry) for entry in asked_for(evidence)}
    others = [entry.label for entry in evidence.images if id(entry) not in asked]
    if others and reaches(level, Level.ENTRYPOINT):
        sentences.append(f"the inside of {', '.join(others)}, which was not asked for")
    return tuple(sentences)


def not_checked(evidence: Evidence) -> tuple[str, ...]:
    """What the level promises and could not be checked; anything here makes a pass `incomplete`."""
    unreachable = [fault for fault in evidence.faults if fault.kind is FaultKind.UNREACHABLE]
    sentences = [_unreachable(fault) for fault in unreachable]
    sentences += [
        f"the configuration of {entry.label} (it could not be read)" for entry in evidence.images if _is_blind(entry)
    ]
    if evidence.left_out:
        sentences.append(f"{evidence.left_out} entries of the list, which is larger than any image needs")
    if reaches(evidence.expectation.level, Level.ENTRYPOINT):
        sentences += _content_not_checked(evidence)
    sentences += not_run(evidence)
    return tuple(dict.fromkeys(sentences))


def _content_not_checked(evidence: Evidence) -> list[str]:
    looked_into = {id(content.entry) for content in evidence.contents}
    sentences = [
        f"the inside of {entry.label}: only Linux images are looked into"
        for entry in asked_for(evidence)
        if entry.config is not None and id(entry) not in looked_into
    ]
    for content in evidence.contents:
        if content.unread:
            digests = ", ".join(short(digest) for digest in content.unread[:3])
            sentences.append(f"{len(content.unread)} of the layers of {content.entry.label} ({digests})")
    sentences += [
        f"the digest of the layer {short(digest)}: its algorithm is not known here"
        for digest, scan in evidence.scans.items()
        if scan.is_whole and not scan.hexdigest
    ]
    return sentences


def _digests(entry: Entry) -> set[str]:
    return {entry.descriptor.digest, *((entry.manifest.config.digest,) if entry.manifest else ())}


def _is_blind(entry: Entry) -> bool:
    return entry.manifest is not None and entry.config is None


def _unreachable(fault: Fault) -> str:
    return f"the {fault.part} {short(fault.digest)}: {fault.detail}"


def proved(evidence: Evidence) -> tuple[str, ...]:
    """What is certain now, one sentence a step."""
    images = evidence.images
    wrong = {fault.digest for fault in evidence.faults}
    read = [entry for entry in images if entry.manifest and entry.config and not wrong & _digests(entry)]
    faulty = Counter(fault.part for fault in evidence.faults)
    kind = "list" if evidence.is_list else "single image"
    names = ", ".join(entry.label for entry in images) or "no platform"
    sentences = [f"the {kind} {short(evidence.root.digest)} has {names}"]
    sentences.append(
        f"{len(read)} of {len(images)} manifests and configurations are there, with the digests and sizes that the "
        "list gives"
    )
    if evidence.blobs:
        there = sum(evidence.blobs.values())
        sentences.append(f"{there} of {len(evidence.blobs)} distinct layers are there")
    sentences += content_proved(evidence)
    if faulty[Part.STATEMENT] == 0 and any(one.statements for one in evidence.attestations):
        statements = sum(len(one.statements) for one in evidence.attestations)
        sentences.append(f"the statements that attestations make ({statements} read) are about the images in the list")
    sentences += ran(evidence)
    if evidence.absent:
        sentences.append(f"this store does not hold {', '.join(evidence.absent)}, which the list names")
    if evidence.final_digest == evidence.root.digest:
        sentences.append("the tag points at the same digest at the end")
    return tuple(sentences)


def remembered(memory: Memory) -> tuple[str, ...]:
    """What was not asked for again because it was there a short while ago."""
    if not memory.used:
        return ()
    return (f"{memory.used} parts were seen up to {memory.age / 60:.0f} minutes ago and were not asked for again",)


def verified_platforms(evidence: Evidence) -> tuple[VerifiedPlatform, ...]:
    """One row for each image."""
    return tuple(_row(evidence, entry) for entry in evidence.images)


def _row(evidence: Evidence, entry: Entry) -> VerifiedPlatform:
    digest = entry.descriptor.digest
    attestations = evidence.attestations_of(digest)
    types = sorted(frozenset().union(*(one.predicate_types for one in attestations)))
    provenance = evidence.provenance_of(digest)
    return VerifiedPlatform(
        platform=printable(entry.label),
        digest=digest,
        size=sum(layer.size for layer in entry.layers if layer.size > 0),
        attestations=tuple(map(printable, types)),
        built_on=printable(provenance.builder) if provenance else "",
        mode=build_mode(provenance, entry.platform) if provenance and entry.platform else "",
    )
