"""MV103 platform-duplicate."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Entry, Evidence, short

ZSTD_TWIN = "io.github.containers.compression.zstd"


@check("MV103", "platform-duplicate", Severity.ERROR)
def platform_duplicate(evidence: Evidence) -> Iterator[Problem]:
    """Two entries of the list are for the same platform.

    Clients take the first, the last or either: `docker buildx imagetools inspect` picks one at random. `arm64` and
    `arm64/v8` are the same platform, and so are `arm` and `arm/v7`. Windows entries differ by their `os.version`,
    and podman's zstd twins, which carry an annotation that says so, are meant.

    Build the list anew with one entry for each platform.
    """
    groups: dict[tuple[object, ...], list[Entry]] = {}
    for entry in evidence.images:
        if entry.platform and entry.platform.os != "unknown":
            twin = entry.descriptor.annotation(ZSTD_TWIN)
            key = (entry.platform, entry.os_version, entry.os_features, twin)
            groups.setdefault(key, []).append(entry)
    for group in groups.values():
        if len(group) > 1:
            yield _problem(group)


def _problem(group: list[Entry]) -> Problem:
    digests = list(dict.fromkeys(short(entry.descriptor.digest) for entry in group))
    if len(digests) == 1:
        message = f"{group[0].label} is in the list {len(group)} times, each time as {digests[0]}"
        return Problem(message, platform=group[0].label, severity=Severity.WARNING)
    shown = ", ".join(digests[:4]) + (", …" if len(digests) > 4 else "")
    message = f"{len(group)} entries are for {group[0].label}: {shown}; which one a client takes is chance"
    return Problem(message, platform=group[0].label)
