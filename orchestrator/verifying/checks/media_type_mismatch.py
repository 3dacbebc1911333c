"""MV204 media-type-mismatch."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Evidence, FaultKind, short


@check("MV204", "media-type-mismatch", Severity.ERROR)
def media_type_mismatch(evidence: Evidence) -> Iterator[Problem]:
    """A manifest calls itself another media type than the descriptor or the registry's answer does.

    Clients that compare the two refuse the image, as the distribution specification tells them to.

    Push the manifest and the list again with one tool.
    """
    for fault in evidence.faults:
        if fault.kind is FaultKind.MEDIA_TYPE:
            yield Problem(f"the {fault.part} {short(fault.digest)} {fault.detail}", platform=fault.platform)
