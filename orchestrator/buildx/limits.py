"""What a node cannot do, said before anything is built, each with the way out."""

from __future__ import annotations

from orchestrator.buildx.inspection import Inspected
from orchestrator.core.finding import Finding, Severity

_CONTAINERD = "worker.containerd."


def has_containerd_store(inspected: Inspected) -> bool:
    """Whether an engine keeps images in containerd; its BuildKit then runs on containerd too, and labels say so."""
    return any(_CONTAINERD in name for name, _ in inspected.labels)


def engine_limits(node: str, driver: str, inspected: Inspected) -> tuple[Finding, ...]:
    """A warning of an engine with docker's own image store: buildx refuses attestations there (measured: 26.1)."""
    if driver != "docker" or not inspected.is_running or has_containerd_store(inspected):
        return ()
    return (
        Finding(
            rule="MN103",
            name="no-containerd-store",
            severity=Severity.WARNING,
            message=f"node {node} keeps images in docker's own store: builds there cannot have attestations, "
            "and cannot be pushed by digest",
            cause='put {"features": {"containerd-snapshotter": true}} into /etc/docker/daemon.json and restart docker; '
            "or docker buildx create --driver docker-container --use; or say attest: {provenance: false}",
        ),
    )
