"""MV102 platform-unexpected."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Evidence


@check("MV102", "platform-unexpected", Severity.WARNING)
def platform_unexpected(evidence: Evidence) -> Iterator[Problem]:
    """The list has a platform that nobody asked for.

    Nodes of that platform will use the image although nobody tests it. Often it is a leftover of an earlier list.

    Add the platform to the manifest, or build the list without it.
    """
    wanted = evidence.expectation.platforms
    if not wanted:
        return
    present = dict.fromkeys(entry.platform for entry in evidence.images if entry.platform)
    for platform in present:
        if platform not in wanted and platform.os != "unknown":
            yield Problem(f"{platform} is in the list but was not asked for", platform=str(platform))
