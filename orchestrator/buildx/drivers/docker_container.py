"""BuildKit in a container of its own, on this machine's engine or on another one over ssh."""

from __future__ import annotations

from orchestrator.buildx.drivers.driver import Driver, options
from orchestrator.core.fleet import NodeSpec


def create(spec: NodeSpec) -> tuple[str, ...]:
    """Options, and the engine's address or the name of a docker context."""
    return (*options(spec.driver_options), *((spec.endpoint,) if spec.endpoint else ()))


DRIVER = Driver(
    name="docker-container",
    create=create,
    boot_seconds=120.0,
    starts_itself=True,
    limits=("images stay in its cache until they are pushed or loaded", "its first start pulls moby/buildkit"),
)
