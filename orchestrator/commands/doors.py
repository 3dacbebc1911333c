"""Opens the doors that several commands hand to verbs: the fleet's manifests, nodes, registries, and verification."""

from __future__ import annotations

import platform as host
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from orchestrator.commands.session import Session
from orchestrator.core.errors import UsageError
from orchestrator.core.finding import Finding
from orchestrator.core.fleet import Fleet, RegistrySettings, Service
from orchestrator.core.plan import Node
from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference
from orchestrator.planning.bases import Ask

if TYPE_CHECKING:
    from orchestrator.buildx.nodes import Asking
    from orchestrator.registry.store import Store
    from orchestrator.registry.stores import Stores


def load_fleet(session: Session, files: list[str] | None, overrides: list[str] | None = None) -> Fleet:
    """The fleet of the manifests that the user named, or of the default ones, with the values of `--set`."""
    from orchestrator.manifest.load import load

    changes = tuple(overrides or ())
    named = tuple(files or ())
    return load(named, environment=session.environment, directory=session.directory, overrides=changes)


def fleet_if_any(session: Session, files: list[str] | None) -> Fleet:
    """The fleet, or an empty one where the user named no manifest and there is none."""
    if files:
        return load_fleet(session, files)
    try:
        return load_fleet(session, files)
    except UsageError:
        return Fleet(())


def this_platform() -> Platform:
    """The platform for which this machine builds natively (docker runs Linux everywhere)."""
    return Platform("linux", host.machine() or "amd64")


@contextmanager
def opened_stores(settings: tuple[RegistrySettings, ...], session: Session) -> Iterator[Stores]:
    """One registry client for everything that a command asks; what it warns of goes to stderr."""
    from orchestrator.registry.stores import Stores

    stores = Stores(settings, session.environment, warn=lambda text: session.say(f"warning: {text}\n"))
    try:
        yield stores
    finally:
        stores.close()


def reachable_registries(fleet: Fleet, session: Session) -> tuple[RegistrySettings, ...]:
    """How registries are reached: as the manifest says, and where it is silent as the engine is set up."""
    from orchestrator.buildx.engine import engine_registries, joined

    return joined(fleet.registries, engine_registries(session.environment))


def asking(store: Store) -> Ask:
    """What a registry has under a reference."""
    from orchestrator.planning.published import Published, published

    def ask(reference: Reference) -> Published:
        return published(store, reference)

    return ask


def asking_nodes(
    builder: str, session: Session, platforms: tuple[Platform, ...] = (), *, refresh: bool = False
) -> Asking:
    """How nodes are asked: what their probes found is remembered in the cache folder."""
    from orchestrator.buildx.nodes import Asking

    return Asking(session.environment, session.cache_directory, platforms, builder, refresh)


def finding_nodes(
    fleet: Fleet, builder: str, session: Session, platforms: tuple[Platform, ...]
) -> Callable[[], tuple[Node, ...]]:
    """The nodes of the manifest, or of the selected builder, asked when they are needed."""

    def find() -> tuple[Node, ...]:
        from orchestrator.buildx.nodes import find_nodes

        wanted = platforms or tuple(dict.fromkeys(one for service in fleet.services for one in service.platforms))
        return find_nodes(fleet.nodes, asking_nodes(builder, session, wanted))

    return find


def proving(
    stores: Stores, session: Session
) -> Callable[[Service, Reference, tuple[Platform, ...]], tuple[Finding, ...]]:
    """Verifies an image by digest as its service asks, for the gate before tags move."""

    def prove(service: Service, reference: Reference, platforms: tuple[Platform, ...]) -> tuple[Finding, ...]:
        from orchestrator.verifying.engine import verify
        from orchestrator.verifying.expectation import Expectation, Means

        expectation = Expectation(platforms, service.verify.level, ignore=service.verify.ignore)
        return verify(stores.client, reference, expectation, Means(cache=session.cache_directory / "verify")).findings

    return prove
