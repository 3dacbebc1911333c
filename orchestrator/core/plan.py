"""A plan: which cell is built where, in which mode and why, from which bases."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from orchestrator.core.errors import UsageError
from orchestrator.core.finding import Finding
from orchestrator.core.fleet import Fleet, Service
from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference


class Mode(StrEnum):
    """How a node builds a cell, best first."""

    NATIVE = "native"
    CROSS = "cross"
    COMPAT = "compat"
    EMULATED = "emulated"
    SYSTEM_EMULATED = "system-emulated"
    IMPOSSIBLE = "impossible"


@dataclass(frozen=True, slots=True, order=True)
class CellId:
    """One service on one platform, written `api@linux/arm64`."""

    service: str
    platform: Platform

    def __str__(self) -> str:
        return f"{self.service}@{self.platform}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `api@linux/arm64`; raises UsageError."""
        service, separator, platform = text.partition("@")
        if not service or not separator:
            raise UsageError(f"{text!r} is no cell", hint="write service@platform, as in api@linux/arm64")
        return cls(service, Platform.parse(platform))


@dataclass(frozen=True, slots=True)
class NodePlatform:
    """What a node can do for one platform, what proves it, and how much slower than native it is (0.0: unknown)."""

    platform: Platform
    mode: Mode
    evidence: str
    slowdown: float = 0.0


@dataclass(frozen=True, slots=True)
class Node:
    """A BuildKit instance that buildx reaches, as found. `status` is `running` or says what is wrong."""

    name: str
    builder: str
    driver: str
    endpoint: str = ""
    status: str = "running"
    buildkit: str = ""
    platforms: tuple[NodePlatform, ...] = ()
    parallel: int = 0

    @property
    def is_up(self) -> bool:
        """Whether the node answered."""
        return self.status == "running"

    def mode(self, platform: Platform) -> Mode:
        """The mode in which it builds for a platform."""
        for entry in self.platforms:
            if entry.platform == platform:
                return entry.mode
        return Mode.IMPOSSIBLE


@dataclass(frozen=True, slots=True)
class ContextLink:
    """A name in a Dockerfile that stands for another service's image, to be handed over by digest."""

    name: str
    service: str


@dataclass(frozen=True, slots=True)
class BasePlatform:
    """The manifest that a base image has for one platform; an empty digest where it is not known (offline)."""

    platform: Platform
    digest: str


@dataclass(frozen=True, slots=True)
class Base:
    """An external image that Dockerfiles build on. `digest` is that of the index, or of the single manifest."""

    reference: Reference
    digest: str
    platforms: tuple[BasePlatform, ...]
    used_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlannedService:
    """A service with its place in the order and the parents that its Dockerfile names."""

    service: Service
    wave: int
    needs: tuple[str, ...]
    links: tuple[ContextLink, ...] = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """One service on one platform: where and how it is built, and what it waits for.

    `key` is empty where it cannot be known yet; `unchanged_digest` is the digest of the published image with the same
    key; `estimate_seconds` is 0.0 where nothing is known; `reason` says why it is built or skipped, if that is known.
    """

    id: CellId
    node: str
    mode: Mode
    why: str
    wave: int
    needs: tuple[CellId, ...] = ()
    key: str = ""
    unchanged_digest: str = ""
    runner: str = ""
    estimate_seconds: float = 0.0
    reason: str = ""

    @property
    def unchanged(self) -> bool:
        """Whether the registry already holds this cell."""
        return bool(self.unchanged_digest)


@dataclass(frozen=True, slots=True)
class Outlook:
    """Expected seconds until the end, the chain of cells that sets them, and how much is known.

    `unknown` counts cells without any earlier duration, which the seconds leave out; `native_saving` is what the end
    would come earlier if every emulated cell had a native node of the same size.
    """

    seconds: float
    critical_path: tuple[CellId, ...]
    unknown: int
    native_saving: float


@dataclass(frozen=True, slots=True)
class TagNow:
    """What a tag points at before the build: a digest, nothing where there is no such tag, or why that is not known."""

    reference: str
    digest: str = ""
    unknown: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything `build` needs: services and cells in an order in which they can be built."""

    fleet: Fleet
    services: tuple[PlannedService, ...]
    cells: tuple[Cell, ...]
    nodes: tuple[Node, ...] = ()
    bases: tuple[Base, ...] = ()
    findings: tuple[Finding, ...] = ()
    tags: tuple[TagNow, ...] = ()

    def planned(self, name: str) -> PlannedService:
        """The planned service of that name; KeyError where there is none."""
        for planned in self.services:
            if planned.service.name == name:
                return planned
        raise KeyError(name)

    def cells_of(self, service: str) -> tuple[Cell, ...]:
        """The cells of one service, in the order of its platforms."""
        return tuple(cell for cell in self.cells if cell.id.service == service)

    def node(self, name: str) -> Node:
        """The node of that name; KeyError where there is none."""
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(name)
