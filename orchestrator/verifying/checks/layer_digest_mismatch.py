"""MV206 layer-digest-mismatch."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.core.fleet import Level
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Evidence, short


@check("MV206", "layer-digest-mismatch", Severity.ERROR, Level.ENTRYPOINT)
def layer_digest_mismatch(evidence: Evidence) -> Iterator[Problem]:
    """A layer has not the bytes that its digest promises, or does not unpack.

    Every client refuses it, after it has downloaded it. The storage behind the registry is damaged, an upload was cut
    off, or a proxy changed the answer.

    Push the layer again; delete it first where the registry says that it has it.
    """
    for digest, scan in evidence.scans.items():
        users = ", ".join(dict.fromkeys(entry.label for entry in evidence.sharing(digest)))
        if scan.hexdigest and scan.hexdigest != digest.partition(":")[2]:
            came = f"sha256:{scan.hexdigest}" if digest.startswith("sha256:") else scan.hexdigest
            message = f"the layer {short(digest)} has other bytes than its digest says ({short(came)})"
            yield Problem(message, platform=users, cause=scan.damage and f"it {scan.damage}")
        elif scan.damage:
            yield Problem(f"the layer {short(digest)} {scan.damage}", platform=users)
