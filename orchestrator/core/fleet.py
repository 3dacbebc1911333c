"""A fleet as its manifests say it: services, nodes, and the policies for building and publishing them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where something is written: a file as the user named it, line and column from 1."""

    path: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


class Emulation(StrEnum):
    """Whether a cell may be built under emulation."""

    ALLOW = "allow"
    WARN = "warn"
    FORBID = "forbid"


class CacheType(StrEnum):
    """Where build caches are kept."""

    REGISTRY = "registry"
    GHA = "gha"
    LOCAL = "local"
    NONE = "none"


class Level(StrEnum):
    """How deep an image is verified."""

    META = "meta"
    EXIST = "exist"
    ENTRYPOINT = "entrypoint"
    FULL = "full"


class Scope(StrEnum):
    """Whose tags move together."""

    ALL = "all"
    SERVICE = "service"


@dataclass(frozen=True, slots=True)
class EmulationPolicy:
    """The rule for most platforms, and the exceptions."""

    default: Emulation = Emulation.WARN
    by_platform: tuple[tuple[Platform, Emulation], ...] = ()

    def of(self, platform: Platform) -> Emulation:
        """The rule for one platform."""
        return dict(self.by_platform).get(platform, self.default)


@dataclass(frozen=True, slots=True)
class Cache:
    """`reference` is a repository or folder of the user's choice; empty: one made from the image's name."""

    type: CacheType = CacheType.NONE
    reference: str = ""


@dataclass(frozen=True, slots=True)
class Attest:
    """Attestations as buildx takes them: `provenance` is min, max or false."""

    provenance: str = "min"
    sbom: bool = False


@dataclass(frozen=True, slots=True)
class Secret:
    """A build secret by id, from an environment variable or a file; never its value."""

    id: str
    env: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class VerifyPolicy:
    """What `verify` and the gate before publishing ask of a service's image."""

    level: Level = Level.EXIST
    run: tuple[tuple[str, ...], ...] = ()
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Service:
    """One image to build. `timeout` is in seconds (0: none); `tags` are tags without a repository."""

    name: str
    place: Place
    images: tuple[Reference, ...]
    tags: tuple[str, ...]
    platforms: tuple[Platform, ...]
    context: Path
    dockerfile: Path
    target: str = ""
    args: Pairs = ()
    labels: Pairs = ()
    annotations: Pairs = ()
    contexts: Pairs = ()
    depends_on: tuple[str, ...] = ()
    secrets: tuple[Secret, ...] = ()
    ssh: tuple[str, ...] = ()
    emulation: EmulationPolicy = EmulationPolicy()
    timeout: float = 0.0
    cache: Cache = Cache()
    attest: Attest = Attest()
    audit_ignore: tuple[str, ...] = ()
    verify: VerifyPolicy = VerifyPolicy()
    max_age: float = 0.0


@dataclass(frozen=True, slots=True)
class Tls:
    """Files of a mutual TLS login to a remote BuildKit."""

    ca: str = ""
    cert: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """A node as the manifest asks for it; `parallel` cells at once (0: mabuild's choice)."""

    name: str
    driver: str
    endpoint: str = ""
    platforms: tuple[Platform, ...] = ()
    tls: Tls = Tls()
    driver_options: Pairs = ()
    parallel: int = 0
    place: Place = Place("", 0, 0)


@dataclass(frozen=True, slots=True)
class RegistrySettings:
    """How one registry host is reached; `ca` is a file, `mirrors` are hosts asked first."""

    host: str
    http: bool = False
    insecure: bool = False
    ca: str = ""
    mirrors: tuple[str, ...] = ()
    profile: str = ""


@dataclass(frozen=True, slots=True)
class Publish:
    """How tags move."""

    scope: Scope = Scope.ALL
    rollback: bool = True
    monotonic: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fleet:
    """All services of the manifests, in the order in which they are written."""

    services: tuple[Service, ...]
    nodes: tuple[NodeSpec, ...] = ()
    runners: Pairs = ()
    publish: Publish = Publish()
    registries: tuple[RegistrySettings, ...] = ()
    files: tuple[str, ...] = ()

    def service(self, name: str) -> Service:
        """The service of that name; KeyError where there is none."""
        for service in self.services:
            if service.name == name:
                return service
        raise KeyError(name)
