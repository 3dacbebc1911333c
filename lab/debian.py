"""Debian's packages from the machine's own mirror, by an apt configuration of our own: nothing is left in /etc/apt."""

from __future__ import annotations

import os
import platform
import shutil
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lab.errors import LabError
from lab.process import run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ARCHITECTURES = ("amd64", "arm64")
NEWER_SUITES = {"bookworm": ("trixie", "sid"), "trixie": ("sid",)}
PRIORITIES = {"trixie": 50, "sid": 40}  # below 100: never taken unless a version is named
LISTS_STAY_FRESH = 6 * 3600  # seconds
TARGET_FORMAT = "$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)"
KEYRINGS = ("/usr/share/keyrings/debian-archive-keyring.gpg", "/usr/share/keyrings/debian-archive-keyring.pgp")
INSTALL = ("install", "-y", "-qq", "--no-install-recommends")
POLICY = Path("/usr/sbin/policy-rc.d")


@dataclass(frozen=True, slots=True)
class Source:
    """One suite of Debian's archive on the mirror that this machine uses."""

    uri: str
    suite: str

    def line(self, options: str = "") -> str:
        return f"deb {f'[{options}] ' if options else ''}{self.uri} {self.suite} main"


@dataclass(frozen=True, slots=True)
class Package:
    """A package by name, taken from `suite` if that is not the machine's own."""

    name: str
    suite: str = ""


def machine_architecture() -> str:
    """The machine's architecture in Debian's words."""
    known = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
    machine = platform.machine()
    if machine not in known:
        raise LabError(f"the lab knows amd64 and arm64 machines, not {machine}")
    return known[machine]


def foreign_architecture() -> str:
    return next(name for name in ARCHITECTURES if name != machine_architecture())


def release_codename(os_release: str) -> str:
    """The codename in the text of /etc/os-release, empty if it gives none."""
    for line in os_release.splitlines():
        key, _, value = line.partition("=")
        if key == "VERSION_CODENAME":
            return value.strip('"')
    return ""


def sources_from_targets(listing: str, codename: str) -> tuple[Source, ...]:
    """The distribution's own suites among apt's index targets; third parties are left out."""
    own = (codename, f"{codename}-updates", f"{codename}-security")
    found: dict[Source, None] = {}
    for line in listing.splitlines():
        uri, suite, component, origin = [*line.split(" "), "", "", "", ""][:4]
        if suite in own and component == "main" and origin == "Debian":
            found[Source(uri, suite)] = None
    return tuple(found)


def version_in_suite(madison: str, suite: str) -> str:
    """The version that `apt-cache madison` gives for a suite, empty if it has none."""
    for line in madison.splitlines():
        columns = [column.strip() for column in line.split("|")]
        if len(columns) == 3 and f" {suite}/main " in f" {columns[2]} ":
            return columns[1]
    return ""


def is_root() -> bool:
    return os.geteuid() == 0


def available() -> bool:
    """Whether packages can be installed here: Debian's apt, as root."""
    return is_root() and bool(shutil.which("apt-get"))


@dataclass(frozen=True, slots=True)
class Apt:
    """apt-get and its sisters with a configuration in `folder`."""

    folder: Path
    codename: str
    sources: tuple[Source, ...]
    newer: tuple[str, ...] = ()

    @classmethod
    def prepare(cls, folder: Path) -> Apt:
        """Read the machine's mirror; raises LabError where there is no Debian apt."""
        codename = release_codename(Path("/etc/os-release").read_text())
        sources = _machine_sources(codename)
        if not sources:
            raise LabError("no Debian mirror in this machine's apt sources", hint="see: apt-get indextargets")
        return cls(folder, codename, sources, NEWER_SUITES.get(codename, ()))

    def for_release(self, codename: str, folder: Path) -> Apt:
        """The same mirror's packages of another release; this very object where it is the machine's own."""
        if codename == self.codename:
            return self
        sources = tuple(Source(each.uri, each.suite.replace(self.codename, codename)) for each in self.sources)
        return Apt(folder, codename, sources)

    def refresh(self) -> bool:
        """Fetch the lists unless they are fresh; whether they were fetched."""
        everything, stamp = self.folder / "all.list", self.folder / "fetched"
        wanted = "".join([*self._lines_of_release(ARCHITECTURES), *self._lines_of_newer()])
        fresh = stamp.exists() and time.time() - stamp.stat().st_mtime < LISTS_STAY_FRESH
        if fresh and everything.exists() and everything.read_text() == wanted:
            return False
        for part in ("lists/partial", "cache/archives/partial"):
            (self.folder / part).mkdir(parents=True, exist_ok=True)
        for architecture in ARCHITECTURES:
            (self.folder / f"{architecture}.list").write_text("".join(self._lines_of_release((architecture,))))
        everything.write_text(wanted)
        (self.folder / "preferences").write_text(_preferences())
        run(self.command("apt-get", "update", "-qq"))
        stamp.touch()
        return True

    def install(self, packages: Sequence[Package]) -> None:
        named = [self._named(package) for package in packages]
        words = [*INSTALL, "-o", "Dpkg::Use-Pty=0", "-o", "DPkg::Lock::Timeout=300", *named]
        with services_denied():
            run(self.command("apt-get", *words), environment={"DEBIAN_FRONTEND": "noninteractive"}, timeout=900)

    def _named(self, package: Package) -> str:
        if package.suite not in self.newer:
            return package.name
        version = version_in_suite(run(self.command("apt-cache", "madison", package.name)), package.suite)
        if not version:
            raise LabError(f"Debian {package.suite} has no {package.name}")
        return f"{package.name}={version}"

    def download(self, names: Sequence[str], architecture: str, into: Path) -> tuple[Path, ...]:
        """Fetch packages and all that they need, as for an empty system of that architecture."""
        (into / "archives/partial").mkdir(parents=True, exist_ok=True)
        (into / "status").touch()
        settings = [
            *self._settings(f"{architecture}.list", (architecture,)),
            f"APT::Architecture={architecture}",
            f"Dir::State::status={into}/status",
            f"Dir::Cache={into}",
            "Debug::NoLocking=true",
            "APT::Sandbox::User=root",
        ]
        run(["apt-get", *_options(settings), *INSTALL, "--download-only", *names])
        return tuple(sorted((into / "archives").glob("*.deb")))

    def command(self, tool: str, *arguments: str) -> list[str]:
        settings = [*self._settings("all.list", ARCHITECTURES), f"Dir::Cache={self.folder}/cache"]
        return [tool, *_options(settings), *arguments]

    def _settings(self, sources: str, architectures: Sequence[str]) -> list[str]:
        folder = self.folder
        return [
            f"Dir::Etc::sourcelist={folder}/{sources}",
            "Dir::Etc::sourceparts=/dev/null",
            f"Dir::Etc::preferences={folder}/preferences",
            "Dir::Etc::preferencesparts=/dev/null",
            f"Dir::State::lists={folder}/lists",
            *(f"APT::Architectures::={name}" for name in architectures),
            "Acquire::Languages=none",
            "Acquire::Check-Valid-Until=false",
            "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
            "Acquire::PDiffs=false",
            "Acquire::Retries=3",
        ]

    def _lines_of_release(self, architectures: Sequence[str]) -> list[str]:
        return [source.line(f"{_signed_by()}arch={','.join(architectures)}") + "\n" for source in self.sources]

    def _lines_of_newer(self) -> list[str]:
        archive = next(source.uri for source in self.sources if source.suite == self.codename)
        options = f"{_signed_by()}arch={machine_architecture()}"
        return [Source(archive, suite).line(options) + "\n" for suite in self.newer]


def _signed_by() -> str:
    return next((f"signed-by={path} " for path in KEYRINGS if Path(path).exists()), "")


def _options(settings: Sequence[str]) -> list[str]:
    return [word for setting in settings for word in ("-o", setting)]


def _preferences() -> str:
    pins = [f"Package: *\nPin: release n={suite}\nPin-Priority: {value}\n" for suite, value in PRIORITIES.items()]
    return "\n".join(pins)


def _machine_sources(codename: str) -> tuple[Source, ...]:
    listing = ["apt-get", "indextargets", "--format", TARGET_FORMAT, "Created-By: Packages"]
    sources = sources_from_targets(run(listing), codename)
    if sources or not is_root():
        return sources
    # Before the first update apt names no targets; another party's broken source does not concern us.
    try:
        run(["apt-get", "update", "-qq", "-o", "Acquire::http::Timeout=20", "-o", "Acquire::Languages=none"])
    except LabError:
        return sources_from_targets(run(listing), codename)
    return sources_from_targets(run(listing), codename)


@contextmanager
def services_denied() -> Iterator[None]:
    """Keep packages from starting services, in the way that Debian gives for it, unless the machine says so already."""
    if POLICY.exists():
        yield
        return
    POLICY.write_text("#!/bin/sh\nexit 101\n")
    POLICY.chmod(0o755)
    try:
        yield
    finally:
        POLICY.unlink(missing_ok=True)
