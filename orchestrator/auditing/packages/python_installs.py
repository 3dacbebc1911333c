"""What pip, uv, poetry and pipenv install in a Dockerfile: requirements from command lines, files and locks."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise

from orchestrator.auditing.packages.environment import marker_holds
from orchestrator.auditing.packages.locks import LockError, is_lock, read_lock
from orchestrator.auditing.packages.requirement import PythonRequirement, parse_requirement
from orchestrator.auditing.packages.requirements_file import (
    ReadText,
    Requirements,
    of_options,
    options_in,
    read_requirements,
)
from orchestrator.auditing.packages.site import Site, variable
from orchestrator.auditing.packages.uv_lock import reachable, selection_of, values_of
from orchestrator.auditing.shell.machine import UNKNOWN
from orchestrator.core.packages import IndexOptions
from orchestrator.core.platform import Platform

_VALUE_OPTIONS = frozenset(
    {"-t", "--target", "--prefix", "--root", "--cache-dir", "--python", "-p", "--timeout", "--retries", "--proxy",
     "--cert", "--trusted-host", "--progress-bar", "--platform", "--python-version", "--implementation", "--abi",
     "--src", "--log", "--upgrade-strategy", "--config-settings", "-C", "--global-option", "--report",
     "--use-feature", "-d", "--dest", "--root-user-action", "--exists-action", "--keyring-provider",
     "--python-platform", "--index-strategy", "-w", "--wheel-dir", "--resolution", "--prerelease", "--link-mode",
     "--extra", "--group", "--no-group", "--package", "--torch-backend", "--exclude-newer", "--refresh-package",
     "--reinstall-package", "-P", "--upgrade-package", "-r", "--requirement", "--requirements", "-c",
     "--constraint", "--constraints", "-i", "--index-url", "--index", "--default-index", "--extra-index-url", "-f",
     "--find-links", "--only-binary", "--no-binary", "-e", "--editable", "--pypi-url", "--allow-insecure-host",
     "--no-install-package", "--no-build-package", "--no-binary-package"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PythonInstall:
    """One installation: what it asks for, from which indexes, and what of it could not be read."""

    site: Site
    asked: Requirements
    is_lock: bool = False
    resolves: bool = True
    not_read: tuple[str, ...] = field(default=())

    @property
    def options(self) -> IndexOptions:
        """The indexes that the command line, its files and its environment name."""
        call = self.site.call
        named = IndexOptions(
            variable(call, "PIP_INDEX_URL") or variable(call, "UV_DEFAULT_INDEX"),
            tuple(variable(call, "PIP_EXTRA_INDEX_URL").split()),
        )
        return named.joined(self.asked.options)


def python_install(site: Site) -> PythonInstall | None:
    """What a call installs; None where it is no installation of Python packages."""
    arguments = list(site.arguments)
    match site.program, arguments[:1], arguments[1:2]:
        case "pip", ["install" | "wheel" | "download"], _:
            return _pip(site, arguments[1:])
        case "uv", ["pip"], ["install" | "sync"]:
            return _pip(site, arguments[2:], is_sync=arguments[1] == "sync")
        case "uv", ["tool"], ["install"]:
            return _pip(site, arguments[2:])
        case "uv", ["add"], _:
            return _pip(site, arguments[1:])
        case "uv", ["sync"], _:
            return _locked(site, ("uv.lock", "pyproject.toml"), arguments)
        case "poetry", ["install" | "sync"], _:
            return _locked(site, ("poetry.lock", "pyproject.toml"), arguments)
        case "pipenv", ["install" | "sync"], _:
            return _locked(site, ("Pipfile.lock",), arguments)
        case _:
            return None


def _pip(site: Site, words: list[str], *, is_sync: bool = False) -> PythonInstall:
    """pip's and uv's way: requirements, `-r` files, and local projects by their pyproject.toml."""
    not_read: list[str] = []
    asked = Requirements()
    for word in _positional(words):
        if is_sync:
            asked = asked.joined(_of_file(site, word, not_read))
        else:
            asked = asked.joined(_of_word(site, word, not_read))
    for kind, value in options_in([word.replace("--requirements", "--requirement") for word in words]):
        if kind in {"requirement", "constraint"}:
            found = _of_file(site, value, not_read)
            is_limit = kind == "constraint"
            asked = asked.joined(replace(found, requirements=(), constraints=found.requirements) if is_limit else found)
        elif kind == "editable":
            asked = asked.joined(_of_word(site, value, not_read))
    asked = asked.joined(of_options(_without_files(words), "", site.context.read_script))
    resolves = "--no-deps" not in words and not is_sync and "--require-hashes" not in words
    return PythonInstall(site, asked, resolves=resolves, not_read=(*not_read, *asked.missing))


def _positional(words: list[str]) -> Iterator[str]:
    rest = iter(words)
    for word in rest:
        if word in _VALUE_OPTIONS:
            next(rest, "")
        elif not word.startswith("-"):
            yield word


def _without_files(words: list[str]) -> list[str]:
    """The options without those that name files of the image, which are looked up there."""
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        name = word.partition("=")[0]
        if name in {"-r", "--requirement", "--requirements", "-c", "--constraint", "--constraints", "-e", "--editable"}:
            if name == word:
                next(rest, "")
        elif not word.startswith(("-r", "-c", "-e")):
            kept.append(word)
    return kept


def _of_word(site: Site, word: str, not_read: list[str]) -> Requirements:
    place = site.place_of(word)
    if UNKNOWN in word:
        not_read.append(f"{place.path}:{place.line}: a package that is known only while building")
        return Requirements()
    local = re.fullmatch(r"(\.{0,2}/[^\[]*|\.{1,2})(?:\[([\w,.-]*)\])?", word)
    if local is not None:
        return _of_project(site, local[1], not_read)
    requirement = parse_requirement(word, place, written=site.written(word))
    return Requirements((requirement,)) if requirement is not None else Requirements()


def _of_project(site: Site, folder: str, not_read: list[str]) -> Requirements:
    found = site.find(posixpath.join(folder, "pyproject.toml"))
    if found is None:
        if site.find(posixpath.join(folder, "setup.py")) is not None:
            not_read.append(f"{site.place.path}:{site.place.line}: what setup.py in {folder} asks for")
        return Requirements()
    return _read(*found, not_read)


def _of_file(site: Site, name: str, not_read: list[str]) -> Requirements:
    if UNKNOWN in name or "://" in name:
        not_read.append(f"{site.place.path}:{site.place.line}: a requirements file that is known only while building")
        return Requirements()
    found = site.find(name)
    if found is None:
        not_read.append(f"{site.place.path}:{site.place.line}: {name} is not in the build context")
        return Requirements()
    return _read(*found, not_read, read=site.context.read_script)


def _read(path: str, text: str, not_read: list[str], read: ReadText | None = None) -> Requirements:
    name = path.rpartition("/")[2]
    if not is_lock(name) and name != "pyproject.toml":
        return read_requirements(path, read) if read is not None else Requirements()
    try:
        return Requirements(read_lock(path, text))
    except LockError as error:
        not_read.append(str(error))
        return Requirements()


def _locked(site: Site, names: tuple[str, ...], words: list[str]) -> PythonInstall:
    """What a project's lock file says, or its pyproject.toml where there is none."""
    folder = next((value for word, value in pairwise(words) if word in {"--project", "-C"}), ".")
    not_read: list[str] = []
    for name in names:
        found = site.find(posixpath.join(folder, name))
        if found is not None:
            read = _read(*found, not_read)
            try:
                read = replace(read, requirements=_installed(site, read.requirements, found, words))
            except LockError as error:
                not_read.append(str(error))
            return PythonInstall(site, read, is_lock(name), not is_lock(name), tuple(not_read))
    why = f"{site.place.path}:{site.place.line}: there is no {names[0]} in the build context"
    return PythonInstall(site, Requirements(), not_read=(why,))


def _installed(
    site: Site, locked: tuple[PythonRequirement, ...], lock: tuple[str, str], words: list[str]
) -> tuple[PythonRequirement, ...]:
    """What of a lock (its path and text) the call installs."""
    match lock[0].rpartition("/")[2]:
        case "uv.lock":
            return tuple(_reached(site, locked, lock[1], words))
        case "poetry.lock":
            return tuple(_in_groups(locked, tuple(words)))
        case _:
            return locked


def _holds(site: Site, platform: Platform, marker: str) -> bool:
    return marker_holds(marker, site.environment, platform)


def _in_groups(locked: Iterable[PythonRequirement], words: tuple[str, ...]) -> Iterator[PythonRequirement]:
    """What of a poetry.lock is installed by the groups that the call names."""
    only = {name for value in values_of(words, "--only") for name in value.split(",")}
    without = {name for value in values_of(words, "--without") for name in value.split(",")}
    without |= {"dev"} if "--no-dev" in words else set()
    for one in locked:
        groups = set(one.groups)
        if not groups or (groups & only if only else groups - without):
            yield one


def _reached(
    site: Site, locked: Iterable[PythonRequirement], text: str, words: list[str]
) -> Iterator[PythonRequirement]:
    """What of a uv.lock is installed, each with the platforms that it is installed on."""
    selection = selection_of(words)
    taken = {platform: reachable(text, selection, partial(_holds, site, platform)) for platform in site.platforms}
    for one in locked:
        release = (one.name, one.specifier.removeprefix("=="))
        platforms = tuple(platform for platform, releases in taken.items() if release in releases)
        if platforms:
            yield replace(one, only_on=platforms)
