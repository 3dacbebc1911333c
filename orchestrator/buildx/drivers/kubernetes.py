"""BuildKit in pods of a cluster: replicas, node selectors and the like are driver options."""

from __future__ import annotations

from orchestrator.buildx.drivers.driver import Driver, options
from orchestrator.core.fleet import NodeSpec


def create(spec: NodeSpec) -> tuple[str, ...]:
    """Options, and the kube context where one is named."""
    return (*options(spec.driver_options), *((spec.endpoint,) if spec.endpoint else ()))


DRIVER = Driver(
    name="kubernetes",
    create=create,
    boot_seconds=180.0,
    starts_itself=True,
    limits=("pods of one builder share no cache unless loadbalance=sticky",),
)
