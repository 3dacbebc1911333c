"""MV202 digest-mismatch."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Evidence, FaultKind, Part, short


@check("MV202", "digest-mismatch", Severity.ERROR)
def digest_mismatch(evidence: Evidence) -> Iterator[Problem]:
    """A manifest or configuration has not the bytes that its digest promises.

    Every client refuses it. The storage behind the registry is damaged, or a proxy between changed the answer.

    Push the image again; if it comes back wrong, look at the registry's storage and at proxies.
    """
    for fault in evidence.faults:
        if fault.kind is FaultKind.DIGEST and fault.part is not Part.LAYER:
            message = f"the {fault.part} {short(fault.digest)} {fault.detail or 'has other bytes than its digest says'}"
            yield Problem(message, platform=fault.platform)
