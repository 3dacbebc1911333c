"""The engine itself as a node: every docker context is a builder of this kind already."""

from __future__ import annotations

from orchestrator.buildx.drivers.driver import Driver
from orchestrator.core.fleet import NodeSpec


def create(_: NodeSpec) -> tuple[str, ...]:
    """Nothing: the builder is there."""
    return ()


DRIVER = Driver(
    name="docker",
    create=create,
    boot_seconds=10.0,
    has_builders=False,
    pushes_by_digest=False,
    limits=(
        "it cannot push by digest, so that cells need staging tags: use docker-container on the same engine",
        "without the containerd image store it cannot load or keep images of two platforms",
    ),
)
