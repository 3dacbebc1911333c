"""What apt and apk install in a Dockerfile, and the repositories that the Dockerfile adds before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from orchestrator.auditing.packages.repositories import apk_repositories, apt_sources
from orchestrator.auditing.packages.site import Site
from orchestrator.auditing.runs import Run
from orchestrator.auditing.shell.machine import UNKNOWN
from orchestrator.core.packages import Ecosystem, Place, Repository

_NAME = re.compile(r"[a-z0-9][a-z0-9+._-]*$")
_VALUE_OPTIONS = frozenset(
    {"-t", "--target-release", "-o", "--option", "-c", "--config-file", "-a", "-X", "--repository", "-p", "--root",
     "--virtual", "--keys-dir", "--repositories-file", "--arch"}
)  # fmt: skip
_ADDS = re.compile(
    r"sources\.list|add-apt-repository|apt-add-repository|extrepo|/etc/apk/repositories|apt-key|_[\d.]+\.x\b"
)


@dataclass(frozen=True, slots=True)
class SystemInstall:
    """One call: names with their places; `adds_others` where the stage adds repositories that could have more."""

    site: Site
    ecosystem: Ecosystem
    names: tuple[tuple[str, Place], ...]
    repositories: tuple[Repository, ...]
    adds_others: bool


def system_install(site: Site) -> SystemInstall | None:
    """What a call installs; None where it is no installation of apt or apk."""
    match site.program, site.arguments:
        case "apt-get" | "apt" | "aptitude", arguments if "install" in arguments:
            ecosystem, words = Ecosystem.DEBIAN, arguments[arguments.index("install") + 1 :]
        case "apk", arguments if "add" in arguments:
            ecosystem, words = Ecosystem.ALPINE, arguments[arguments.index("add") + 1 :]
        case _:
            return None
    names = tuple((_plain(word), site.place_of(word)) for word in _packages(words) if _NAME.match(_plain(word)))
    texts = [run.source.text for run in _before(site)] + _copied_lists(site)
    return SystemInstall(
        site, ecosystem, names, _repositories(ecosystem, texts), any(_ADDS.search(text) for text in texts)
    )


def _packages(words: tuple[str, ...]) -> Iterator[str]:
    rest = iter(words)
    for word in rest:
        if word in _VALUE_OPTIONS:
            next(rest, "")
        elif not word.startswith(("-", ".", "/")) and UNKNOWN not in word:
            yield word


def _plain(word: str) -> str:
    """The name without version, release or repository: `curl=8.0`, `curl/stable`, `curl>1`, `curl@edge`."""
    return re.split(r"[=/<>~@]", word, maxsplit=1)[0].removesuffix("+")


def _before(site: Site) -> Iterator[Run]:
    """The shell texts of the stage and of those that it is built from, down to the call's own."""
    stages = _line(site)
    for run in site.context.runs:
        if run.stage in stages and not run.is_start:
            yield run
        if run is site.call.run:
            return


def _line(site: Site) -> set[int]:
    """The stage and its parents."""
    found: set[int] = set()
    stage: int | str = site.call.run.stage
    while isinstance(stage, int) and stage not in found:
        found.add(stage)
        stage = site.context.stages[stage].resolved[site.platforms[0]].base
    return found


def _copied_lists(site: Site) -> list[str]:
    """Sources lists that are copied from the build context."""
    wanted = [one.source for one in site.copied if "/etc/apt/" in one.target or "/etc/apk/" in one.target]
    return [f"/etc/apt/sources.list\n{text}" for path in wanted if (text := site.context.read_script(path))]


def _repositories(ecosystem: Ecosystem, texts: list[str]) -> tuple[Repository, ...]:
    read = apt_sources if ecosystem is Ecosystem.DEBIAN else apk_repositories
    return tuple(dict.fromkeys(one for text in texts for one in read(text) if UNKNOWN not in one.address))
