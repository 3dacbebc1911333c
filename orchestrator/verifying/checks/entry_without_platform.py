"""MV104 entry-without-platform."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Evidence, short


@check("MV104", "entry-without-platform", Severity.ERROR)
def entry_without_platform(evidence: Evidence) -> Iterator[Problem]:
    """An entry of the list does not say for which platform it is.

    The specification allows it, but clients disagree: crane takes such an entry for linux/amd64, containerd looks into
    its configuration and prefers every other entry, podman takes it last, and docker shows an image without platform.

    Build the list with a tool that fills in the platform (`mabuild publish`, `docker buildx imagetools create`).
    """
    if not evidence.is_list:
        return
    for entry in evidence.images:
        if entry.descriptor.platform is None:
            claims = f"; its configuration says {entry.config.written_platform}" if entry.config else ""
            yield Problem(f"the entry {short(entry.descriptor.digest)} names no platform{claims}", platform=entry.label)
