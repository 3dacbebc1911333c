"""MV201 manifest-missing."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Evidence, FaultKind, Part, short

_DOCUMENTS = frozenset({Part.LIST, Part.MANIFEST})


@check("MV201", "manifest-missing", Severity.ERROR)
def manifest_missing(evidence: Evidence) -> Iterator[Problem]:
    """A manifest that the list points at is not there, or cannot be read.

    Pulls on that platform fail with `manifest unknown`. Clean-up jobs that delete "untagged" images delete the
    platforms of a list, because only the list has a tag; some mirrors keep one platform only.

    Push the platform again, and keep the children of tagged lists when cleaning up.
    """
    for fault in evidence.faults:
        if fault.part not in _DOCUMENTS:
            continue
        if fault.kind is FaultKind.MISSING:
            message = f"the {fault.part} {short(fault.digest)} is not there"
            yield Problem(message, platform=fault.platform, cause=fault.detail)
        elif fault.kind is FaultKind.UNREADABLE:
            message = f"the {fault.part} {short(fault.digest)} cannot be read: {fault.detail}"
            yield Problem(message, platform=fault.platform)
