"""MV301 config-platform-mismatch."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.configuration import ImageConfig
from orchestrator.verifying.evidence import Entry, Evidence


@check("MV301", "config-platform-mismatch", Severity.ERROR)
def config_platform_mismatch(evidence: Evidence) -> Iterator[Problem]:
    """The image's configuration names another platform than the list.

    The list decides who pulls the image; containerd unpacks by the configuration, podman warns, Kubernetes shows the
    wrong node architecture. Either the list points at the wrong image, or the image was cross-compiled with a tool that
    left the configuration at its own architecture: the binaries say which (level `entrypoint`).

    Build with `--platform`, which sets both, instead of annotating a list by hand.
    """
    for entry in evidence.images:
        if entry.config is not None:
            yield from _problems(entry, entry.config)


def _problems(entry: Entry, config: ImageConfig) -> Iterator[Problem]:
    claimed = entry.descriptor.platform
    if not config.os or not config.architecture:
        yield Problem(f"the configuration names no platform: {config.written_platform}", platform=entry.label)
        return
    if claimed is None or claimed.os == "unknown" or config.platform == claimed:
        return
    own = config.platform
    if (own.os, own.architecture) == (claimed.os, claimed.architecture) and not config.variant:
        message = f"the configuration names no variant ({config.written_platform}), the list says {claimed}"
        yield Problem(message, platform=entry.label, severity=Severity.NOTE)
        return
    message = f"the list says {claimed}, the image's configuration says {config.written_platform}"
    yield Problem(message, platform=entry.label)
