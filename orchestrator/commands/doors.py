"""Opens the doors that several commands hand to verbs: the fleet's manifests, nodes, and registries."""

from __future__ import annotations

import platform as host
from collections.abc import Callable

from orchestrator.commands.session import Session
from orchestrator.core.fleet import Fleet
from orchestrator.core.plan import Node
from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference
from orchestrator.planning.bases import Ask


def load_fleet(session: Session, files: list[str] | None) -> Fleet:
    """The fleet of the manifests that the user named, or of the default ones."""
    from orchestrator.manifest.load import load

    return load(tuple(files or ()), environment=session.environment, directory=session.directory)


def this_platform() -> Platform:
    """The platform for which this machine builds natively (docker runs Linux everywhere)."""
    return Platform("linux", host.machine() or "amd64")


def asking(fleet: Fleet, session: Session) -> Ask:
    """What a registry has under a reference; one client for all questions."""
    from orchestrator.planning.published import Published, published
    from orchestrator.registry.stores import registry_store

    store = registry_store(fleet.registries, session.environment)

    def ask(reference: Reference) -> Published:
        return published(store, reference)

    return ask


def finding_nodes(fleet: Fleet, builder: str, session: Session) -> Callable[[], tuple[Node, ...]]:
    """The nodes of the manifest, or of the selected builder, asked when they are needed."""

    def find() -> tuple[Node, ...]:
        from orchestrator.buildx.nodes import find_nodes

        return find_nodes(fleet.nodes, builder, session.environment)

    return find
