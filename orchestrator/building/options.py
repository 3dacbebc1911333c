"""What a build is asked to do, and the doors through which it does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

from orchestrator.building.caches import Branches
from orchestrator.buildx.build import BuildRequest, Built, Limits
from orchestrator.core.event import Listener
from orchestrator.core.finding import Finding
from orchestrator.core.fleet import Pairs, Scope, Service
from orchestrator.core.plan import CellId
from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference
from orchestrator.core.retry import RetryPolicy
from orchestrator.registry.store import WritableStore

DAY = 86_400.0
BUILDKIT_PAUSE = 3.0
"""BuildKit has itself tried for about 7 s when it gives up on a registry, so a first pause below this is wasted."""


RETRY: Final = RetryPolicy(attempts=4, first_pause=BUILDKIT_PAUSE, longest_pause=120.0)


NO_BRANCHES: Final = Branches()


class Goal(StrEnum):
    """Where the images go."""

    PUSH = "push"
    LOAD = "load"
    LAYOUT = "layout"


@dataclass(frozen=True, slots=True)
class Options:
    """How to build. Times are in seconds; 0.0 is no limit.

    `only` names the cells to build here (none: all); with it no tag moves. `force` builds also what is unchanged.
    `records` is a folder for record files (`Path()`: none are written), `directory` one for OCI layouts. A build may
    give no sign of life for `silence`, and after a signal tags may go on moving for `grace`. `annotations` stand on
    every index.
    """

    goal: Goal = Goal.PUSH
    directory: Path = Path("dist")
    records: Path = Path()
    only: frozenset[CellId] = frozenset()
    parallel: int = 8
    keep_going: bool = False
    force: bool = False
    no_cache: bool = False
    pull: bool = False
    verify: bool = True
    timeout: float = DAY
    silence: float = 900.0
    grace: float = 5.0
    journal: Path = Path("journal.jsonl")
    scope: Scope = Scope.ALL
    annotations: Pairs = ()
    branches: Branches = NO_BRANCHES
    retry: RetryPolicy = RETRY


class Builder(Protocol):
    """What runs one build: `orchestrator.buildx.build.Buildx`."""

    def build(self, request: BuildRequest, listener: Listener, limits: Limits) -> Built:
        """Build, or raise a MabuildError."""
        ...

    def stop(self) -> None:
        """Stop everything that runs, and start nothing any more."""
        ...


class Registry(WritableStore, Protocol):
    """What a build does with registries: `orchestrator.registry.client.RegistryClient`."""

    def without_mirrors(self) -> Registry:
        """The same for looking at what was just written: a mirror may be behind."""
        ...

    def delete_manifest(self, reference: Reference) -> None:
        """Delete a manifest by digest."""
        ...


Verify = Callable[[Service, Reference, tuple[Platform, ...]], tuple[Finding, ...]]
"""Proves the image under a digest for platforms as the service's verify policy asks; gives what is wrong."""


class Descent(StrEnum):
    """How one commit stands to another."""

    NEWER = "newer"
    NOT_NEWER = "not newer"
    UNKNOWN = "unknown"


Descends = Callable[[str, str], Descent]
"""Whether the first commit is the second one, or has it among its ancestors."""


@dataclass(frozen=True, slots=True)
class Doors:
    """What a build touches. `clock` reads seconds that only grow; `now` gives the time as RFC 3339 in UTC.

    Of `store` mirrors are only asked for images that others publish, never for what is being published here.
    """

    builder: Builder
    store: Registry
    verify: Verify
    clock: Callable[[], float]
    now: Callable[[], str]
    sleep: Callable[[float], None]
    stopping: Callable[[], bool] = bool
    descends: Descends = lambda _new, _old: Descent.UNKNOWN
