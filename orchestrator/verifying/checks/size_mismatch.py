"""MV203 size-mismatch."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Evidence, FaultKind


@check("MV203", "size-mismatch", Severity.ERROR)
def size_mismatch(evidence: Evidence) -> Iterator[Problem]:
    """A descriptor gives another size than the content has.

    The specification tells clients not to trust such content; docker and containerd fail with `short read` or
    `unexpected commit size`, others do not notice. Lists that were put together by hand have such sizes.

    Let a tool compute the list again from the manifests.
    """
    for fault in evidence.faults:
        if fault.kind is FaultKind.SIZE:
            yield Problem(f"the {fault.part} {fault.digest} {fault.detail}", platform=fault.platform)
