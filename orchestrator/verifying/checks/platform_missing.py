"""MV101 platform-missing."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.core.platform import Platform, candidates
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Evidence


@check("MV101", "platform-missing", Severity.ERROR)
def platform_missing(evidence: Evidence) -> Iterator[Problem]:
    """A platform that has to be there is not in the list.

    Nodes of that platform cannot pull the image, or get one that they cannot run. It happens when one of the jobs that
    push the platforms failed, or when a later push of a single platform replaced the whole list.

    Build the missing platform and publish the list again with all of them.
    """
    present = {entry.platform for entry in evidence.images}
    names = ", ".join(sorted(str(platform) for platform in present if platform)) or "nothing"
    for platform in evidence.expectation.platforms:
        if platform not in present:
            cause = _nearest(platform, present)
            yield Problem(f"{platform} is missing; the image has {names}", platform=str(platform), cause=cause)
    for platform in evidence.earlier:
        if platform not in present and platform not in evidence.expectation.platforms:
            since = f"the list {evidence.expectation.since} had it"
            yield Problem(f"{platform} is lost; the image has {names}", platform=str(platform), cause=since)


def _nearest(wanted: Platform, present: set[Platform | None]) -> str:
    same = [one for one in present if one and (one.os, one.architecture) == (wanted.os, wanted.architecture)]
    if not same:
        return ""
    taken = [str(one) for one in sorted(same) if one in candidates(wanted)]
    if taken:
        return f"a {wanted} node would take {', '.join(taken)} instead"
    return f"{', '.join(str(one) for one in sorted(same))} is there, which a {wanted} node does not take"
