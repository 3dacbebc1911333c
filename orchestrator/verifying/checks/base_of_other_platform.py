"""MV303 base-of-other-platform."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Confidence, Severity
from orchestrator.core.fleet import Level
from orchestrator.core.platform import Platform
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Base, Entry, Evidence
from orchestrator.verifying.provenance import platform_of


@check("MV303", "base-of-other-platform", Severity.ERROR, Level.EXIST)
def base_of_other_platform(evidence: Evidence) -> Iterator[Problem]:
    """The provenance names base images, and all of them are of another platform than the image.

    With a last stage `FROM scratch` that is right: everything was cross-compiled on the build platform, so alone it is
    a note. Where the image also shares its lowest layer with an image of that other platform, the last stage stands on
    a base of the wrong architecture, and it is an error.

    Take `--platform=` off the last `FROM`, and use a base that has the platform.
    """
    for entry in evidence.images:
        statement = evidence.provenance_of(entry.descriptor.digest)
        if statement is None or entry.platform is None:
            continue
        others = _others(statement.bases, entry.platform)
        if others:
            yield _problem(evidence, entry, others)


def _others(bases: tuple[Base, ...], target: Platform) -> list[Base]:
    """The bases, where every one is for another architecture."""
    known = [(base, platform) for base in bases if (platform := platform_of(base.platform)) is not None]
    if any(platform.architecture == target.architecture for _, platform in known):
        return []
    return [base for base, _ in known]


def _problem(evidence: Evidence, entry: Entry, others: list[Base]) -> Problem:
    names = ", ".join(f"{base.name} for {base.platform}" for base in others[:3])
    message = f"it was built from {names}, and from nothing for {entry.label}"
    sharing = [
        other.label
        for other in (evidence.sharing(entry.layer_digests[0]) if entry.layers else ())
        if other.platform and entry.platform and other.platform.architecture != entry.platform.architecture
    ]
    if sharing:
        cause = f"its lowest layer is also that of {', '.join(sharing)}"
        return Problem(message, platform=entry.label, cause=cause)
    hint = "right where the last stage is FROM scratch"
    return Problem(message, entry.label, cause=hint, severity=Severity.NOTE, confidence=Confidence.LOW)
