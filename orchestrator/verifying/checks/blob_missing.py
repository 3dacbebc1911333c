"""MV205 blob-missing."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Evidence, FaultKind, Part, short

_BLOBS = frozenset({Part.CONFIGURATION, Part.LAYER, Part.STATEMENT})


@check("MV205", "blob-missing", Severity.ERROR)
def blob_missing(evidence: Evidence) -> Iterator[Problem]:
    """A configuration or layer that a manifest names is not there, or a configuration cannot be read.

    Pulls fail with `blob unknown` or `not found`. Garbage collection while a push was running does this, and so do
    mirrors that were filled by hand.

    Push the image again; where it still lacks, build it without cache.
    """
    for fault in evidence.faults:
        if fault.part not in _BLOBS:
            continue
        if fault.kind is FaultKind.MISSING:
            users = _users(evidence, fault.digest) or fault.platform
            yield Problem(f"the {fault.part} {short(fault.digest)} is not there", platform=users, cause=fault.detail)
        elif fault.kind is FaultKind.UNREADABLE and fault.part is not Part.LAYER:
            message = f"the {fault.part} {short(fault.digest)} cannot be read: {fault.detail}"
            yield Problem(message, platform=fault.platform)


def _users(evidence: Evidence, digest: str) -> str:
    return ", ".join(dict.fromkeys(entry.label for entry in evidence.sharing(digest)))
