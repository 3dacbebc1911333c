"""MV801 tag-moved."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Evidence, short


@check("MV801", "tag-moved", Severity.ERROR)
def tag_moved(evidence: Evidence) -> Iterator[Problem]:
    """The tag points at something else than when the verification began.

    Everything that was found belongs to the digest of the beginning; what the tag gives now was not looked at.
    Jobs of a build matrix that all push the same tag do this: the last one wins.

    Verify again, or verify a digest. Let one job move the tag when all platforms are there.
    """
    if evidence.final_digest and evidence.final_digest != evidence.root.digest:
        now, then = short(evidence.final_digest), short(evidence.root.digest)
        yield Problem(f"the tag pointed at {then} at the beginning and points at {now} now, which was not verified")
