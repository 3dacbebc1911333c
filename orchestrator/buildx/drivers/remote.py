"""A BuildKit that somebody else runs, behind a Unix socket or over TCP with mutual TLS."""

from __future__ import annotations

from orchestrator.buildx.drivers.driver import Driver, options
from orchestrator.core.fleet import NodeSpec


def create(spec: NodeSpec) -> tuple[str, ...]:
    """The files of the TLS login (never their content), other options, and the address."""
    tls = (("cacert", spec.tls.ca), ("cert", spec.tls.cert), ("key", spec.tls.key))
    given = tuple((key, value) for key, value in tls if value)
    return (*options((*given, *spec.driver_options)), spec.endpoint)


DRIVER = Driver(name="remote", create=create, boot_seconds=10.0)
