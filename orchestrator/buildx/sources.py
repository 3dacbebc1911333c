"""Which nodes there are, before any is asked: those of the manifest, or those of the selected builder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.buildx.builderfile import Builder, BuilderNode, current_context, selected_builder
from orchestrator.buildx.drivers import DRIVERS
from orchestrator.buildx.drivers.driver import Driver, unknown
from orchestrator.core.errors import UsageError
from orchestrator.core.fleet import NodeSpec
from orchestrator.core.platform import Platform

PREFIX = "mabuild-"
_NOT_IN_A_NAME = re.compile(r"[^a-z0-9._-]")


@dataclass(frozen=True, slots=True)
class NodeSource:
    """A node and the builder through which it is reached alone.

    `makes` tells whether that builder is mabuild's to make; `node_name` is the node's name inside it, by which buildx
    finds a container or pod that already runs. `declared` are the platforms that the builder was made with, which limit
    nothing (those in the manifest do). `shared` is a builder of the user's that has this node among others.
    """

    spec: NodeSpec
    builder: str
    makes: bool = False
    node_name: str = ""
    declared: tuple[Platform, ...] = ()
    shared: str = ""

    @property
    def driver(self) -> Driver:
        """The kind of node."""
        return DRIVERS.get(self.spec.driver) or unknown(self.spec.driver)


def node_sources(
    specs: tuple[NodeSpec, ...], environment: Mapping[str, str], builder: str = ""
) -> tuple[NodeSource, ...]:
    """The nodes of the manifest, or without any those of the builder that was asked for or is selected."""
    if specs and not builder:
        return tuple(_of_manifest(spec, environment) for spec in specs)
    return _of_builder(selected_builder(environment, builder))


def builder_name(node: str) -> str:
    """The name of the builder that mabuild makes for a node."""
    return PREFIX + _NOT_IN_A_NAME.sub("-", node.lower()).removeprefix(PREFIX)


def _of_manifest(spec: NodeSpec, environment: Mapping[str, str]) -> NodeSource:
    driver = DRIVERS.get(spec.driver)
    if driver is None:
        raise UsageError(
            f"{spec.place}: node {spec.name} has the driver {spec.driver!r}", hint=f"there are: {', '.join(DRIVERS)}"
        )
    if driver.has_builders:
        name = builder_name(spec.name)
        return NodeSource(spec, name, makes=True, node_name=name)
    if "://" in spec.endpoint:
        raise UsageError(
            f"{spec.place}: node {spec.name}: the docker driver takes the name of a docker context, not an address",
            hint=f"make one: docker context create {spec.name} --docker host={spec.endpoint}; "
            "or use driver: docker-container",
        )
    return NodeSource(spec, spec.endpoint or current_context(environment))


def _of_builder(builder: Builder) -> tuple[NodeSource, ...]:
    if len(builder.nodes) == 1:
        node = builder.nodes[0]
        return (NodeSource(_spec(builder, node), builder.name, declared=node.platforms),)
    return tuple(
        NodeSource(
            _spec(builder, node),
            builder_name(node.name),
            node_name=node.name,
            declared=node.platforms,
            shared=builder.name,
        )
        for node in builder.nodes
    )


def _spec(builder: Builder, node: BuilderNode) -> NodeSpec:
    return NodeSpec(node.name, builder.driver, node.endpoint, driver_options=node.options)
