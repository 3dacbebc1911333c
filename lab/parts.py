"""Extra parts for tests, each a context manager that leaves nothing running: engines, nodes, builders, registries."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lab.debian import is_root
from lab.emulator import broken
from lab.engine import Engine
from lab.errors import LabError
from lab.network import Bridge
from lab.nodes import RemoteNode, create_builder, create_container_builder, remove_builder
from lab.registries import Registry, free_port
from lab.scratch import ENGINE, scratch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["BuilderHandle", "broken", "builder", "container_builder", "remote_node", "second_engine", "spare_registry"]


@contextmanager
def second_engine(mirror: str = "") -> Iterator[Engine]:
    """Another engine beside the lab's, empty; `mirror` is a registry (host:port) that stands in for Docker Hub."""
    if not (is_root() and shutil.which("dockerd")):
        raise LabError("a second engine needs dockerd and root")
    with scratch() as folder:
        engine = Engine(ENGINE, folder, folder / "data", folder, Bridge.claim(), mirror=mirror)
        try:
            engine.start()
            yield engine
        finally:
            engine.stop()


@contextmanager
def remote_node(engine: Mapping[str, str]) -> Iterator[RemoteNode]:
    """A `remote` node on the engine that these variables point docker at (`Engine.environment`)."""
    with scratch() as folder:
        node = RemoteNode(folder / "node.sock", folder / "buildx", folder / "node.log", engine)
        try:
            node.start()
            yield node
        finally:
            node.stop()


@dataclass(frozen=True, slots=True)
class BuilderHandle:
    """A builder, and the variables that select it."""

    name: str
    environment: Mapping[str, str]


@contextmanager
def builder(name: str, endpoints: Mapping[str, str], environment: Mapping[str, str]) -> Iterator[BuilderHandle]:
    """A builder of `remote` nodes (name to endpoint) in a BUILDX_CONFIG of its own; the rest is as in `environment`."""
    with scratch() as folder:
        own = {**environment, "BUILDX_CONFIG": str(folder), "BUILDX_BUILDER": name}
        try:
            create_builder(name, endpoints, own)
            yield BuilderHandle(name, own)
        finally:
            remove_builder(name, own)


@contextmanager
def container_builder(name: str, mirror: str, environment: Mapping[str, str]) -> Iterator[BuilderHandle]:
    """A `docker-container` builder; needs the image that `python3 -m lab buildkit-image` makes, or the public one."""
    with scratch() as folder:
        own = {**environment, "BUILDX_CONFIG": str(folder), "BUILDX_BUILDER": name}
        try:
            create_container_builder(name, mirror, own)
            yield BuilderHandle(name, own)
        finally:
            remove_builder(name, own)


@contextmanager
def spare_registry(environment: Mapping[str, str]) -> Iterator[Registry]:
    """An empty registry on a free port, deleting allowed; `environment` matters only where it runs as a container."""
    with scratch() as folder:
        port = free_port()
        registry = Registry(f"mabuild-registry-{port}", port, folder / "data", folder / "pid.json", folder / "log")
        try:
            registry.start(environment)
            yield registry
        finally:
            registry.stop(environment)
