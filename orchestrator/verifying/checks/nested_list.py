"""MV107 nested-list."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Evidence, short


@check("MV107", "nested-list", Severity.NOTE)
def nested_list(evidence: Evidence) -> Iterator[Problem]:
    """An entry of the list is itself a list, or there are more entries than anybody walks.

    The specification allows lists in lists, and containerd follows them; docker's older image store, podman and many
    scanners do not. A list of hundreds of entries is an error: no image has so many platforms.

    Put the images of the inner list into the outer one.
    """
    for descriptor in evidence.nested:
        claims = f" for {descriptor.platform}" if descriptor.platform else ""
        yield Problem(f"the entry {short(descriptor.digest)}{claims} is a list; not every client looks inside")
    if evidence.left_out:
        message = f"the list has {evidence.left_out} entries more than are looked at, or lists nested too deep"
        yield Problem(message, severity=Severity.ERROR)
