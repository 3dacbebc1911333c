"""MV105 not-a-list."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Evidence


@check("MV105", "not-a-list", Severity.WARNING)
def not_a_list(evidence: Evidence) -> Iterator[Problem]:
    """The reference is a single image and no list of platforms.

    Clients do not check the platform of a single image before they start it: on a node of another architecture it
    fails with `exec format error`. An error where several platforms were asked for, a note where exactly one was.

    Push a list: `mabuild build --push` does, and so does `docker buildx build --platform a,b --push`.
    """
    if evidence.is_list:
        return
    wanted = len(evidence.expectation.platforms)
    severity = Severity.ERROR if wanted > 1 else Severity.NOTE if wanted == 1 else Severity.WARNING
    if not evidence.images:
        yield Problem(f"this is no image that can be run, but {_kind(evidence)}", severity=Severity.ERROR)
        return
    label = evidence.images[0].label
    message = f"this is a single image for {label} and no list; nodes of every architecture will pull it"
    yield Problem(message, platform=label, severity=severity)


def _kind(evidence: Evidence) -> str:
    """What is there instead of an image."""
    manifest = evidence.entries[0].manifest if evidence.entries else None
    if manifest is None:
        return f"something of type {evidence.root.media_type or 'unknown'} that cannot be read"
    return f"an artifact of type {manifest.artifact_type or manifest.config.media_type or 'unknown'}"
