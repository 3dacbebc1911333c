"""Packages that images install, and whether each platform has a build of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from orchestrator.core.finding import Finding
from orchestrator.core.platform import Platform


class Ecosystem(StrEnum):
    """Where a package comes from."""

    PYTHON = "python"
    DEBIAN = "debian"
    ALPINE = "alpine"
    NODE = "node"


class Availability(StrEnum):
    """`built`: there is a build for the platform, or one for all; `source`: it has to be compiled there."""

    BUILT = "built"
    SOURCE = "source"
    NONE = "none"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Offer:
    """What a platform gets of a package: the file that would be installed, or why there is none."""

    platform: Platform
    verdict: Availability
    file: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a package is named; 1-based, a line of 0 is no place; the end is exclusive."""

    path: str
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0


@dataclass(frozen=True, slots=True)
class Package:
    """A package of a service with what each platform gets.

    `remedy` is a version that would serve all, and `remedy_place` where it could be written (line 0: nowhere).
    `is_assumed` where something of the surroundings, such as the version of Python, is a guess.
    """

    name: str
    version: str
    ecosystem: Ecosystem
    place: Place
    offers: tuple[Offer, ...]
    service: str = ""
    remedy: str = ""
    remedy_place: Place = field(default_factory=lambda: Place(""))
    is_assumed: bool = False

    def lacking(self, verdict: Availability) -> tuple[Offer, ...]:
        """The offers with that verdict."""
        return tuple(offer for offer in self.offers if offer.verdict is verdict)


@dataclass(frozen=True, slots=True)
class PackageReport:
    """All packages, what is wrong with them, and what could not be checked."""

    packages: tuple[Package, ...] = ()
    findings: tuple[Finding, ...] = ()
    not_checked: tuple[str, ...] = ()
    failed: tuple[tuple[str, int, str], ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Pin:
    """A Python distribution at one version, its name in normal form."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name}=={self.version}"


@dataclass(frozen=True, slots=True)
class ReleaseFile:
    """A file of a Python release as an index page or a lock names it; `sha256` in hexadecimal where it is known."""

    name: str
    sha256: str = ""
    requires_python: str = ""
    is_yanked: bool = False

    @property
    def is_wheel(self) -> bool:
        """Whether it is built."""
        return self.name.endswith(".whl")


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """Which indexes an installation asks: empty texts and tuples where the configuration decides."""

    index: str = ""
    extra: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    no_index: bool = False

    def joined(self, other: IndexOptions) -> IndexOptions:
        """These, and those of a file that is read for the same installation."""
        return IndexOptions(
            other.index or self.index,
            tuple(dict.fromkeys((*self.extra, *other.extra))),
            tuple(dict.fromkeys((*self.links, *other.links))),
            self.no_index or other.no_index,
        )


@dataclass(frozen=True, slots=True)
class Answers:
    """What indexes said: all files of distributions where whole pages were read, else the files of single releases.

    `absent` tells why a release is in no index that answered; `unasked` tells what could not be asked, and why.
    """

    projects: Mapping[str, tuple[ReleaseFile, ...]] = field(default_factory=dict)
    releases: Mapping[Pin, tuple[ReleaseFile, ...]] = field(default_factory=dict)
    absent: Mapping[Pin, str] = field(default_factory=dict)
    unasked: Mapping[Pin, str] = field(default_factory=dict)

    def joined(self, other: Answers) -> Answers:
        """Both together; what one of them found is neither absent nor unasked for lack of the other."""
        projects = {name: (*self.projects.get(name, ()), *files) for name, files in other.projects.items()}
        releases = {pin: (*self.releases.get(pin, ()), *files) for pin, files in other.releases.items()}
        return Answers(
            {**self.projects, **projects},
            {**self.releases, **releases},
            {**self.absent, **other.absent},
            {**self.unasked, **other.unasked},
        )


class Indexes(Protocol):
    """The package indexes that are asked for Python distributions."""

    def ask(self, pins: tuple[Pin, ...], options: IndexOptions, python: str) -> Answers:
        """The files of releases, for a Python version such as `3.12`; never raises for one that cannot be asked.

        A pin without a version asks for all releases.
        """
        ...


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository of Debian's or Alpine's packages. `suite` and `component` are Debian's; Alpine has the address only.

    `distribution` is what it is of, as in `debian`; empty where that is not known.
    """

    ecosystem: Ecosystem
    address: str
    suite: str = ""
    component: str = ""
    distribution: str = ""


class Repositories(Protocol):
    """The package lists of mirrors."""

    def names(self, repository: Repository, architecture: str) -> Mapping[str, str]:
        """The file of each package, and of each name that one provides, for an architecture by the distribution's name.

        MabuildError where the list is not there or cannot be read.
        """
        ...
