"""Reads Python lock files: uv.lock, poetry.lock, pylock.toml and Pipfile.lock; they name versions, hashes and files."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from packaging.utils import canonicalize_name

from orchestrator.auditing.packages.requirement import PythonRequirement, parse_requirement
from orchestrator.core.packages import Place, ReleaseFile

Table = Mapping[str, Any]


class LockError(ValueError):
    """A lock file that is not what its name says."""


def read_lock(path: str, text: str) -> tuple[PythonRequirement, ...]:
    """The distributions that a lock file or pyproject.toml names; LockError where it cannot be read."""
    name = path.rpartition("/")[2]
    try:
        document: Any = json.loads(text) if name == "Pipfile.lock" else tomllib.loads(text)
        return tuple(_reader(name)(document, _Places(path, text)))
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        raise LockError(f"{path} cannot be read: {error}") from error


def is_lock(name: str) -> bool:
    """Whether a file name is that of a lock file."""
    return name in {"uv.lock", "poetry.lock", "Pipfile.lock"} or bool(re.fullmatch(r"pylock(\.[^.]+)?\.toml", name))


Reader = Callable[[Table, "_Places"], Iterable[PythonRequirement]]


def _reader(name: str) -> Reader:
    match name:
        case "uv.lock":
            return _uv
        case "poetry.lock":
            return _poetry
        case "Pipfile.lock":
            return _pipenv
        case "pyproject.toml":
            return _project
        case _:
            return _pylock


class _Places:
    """Finds the lines where a file names packages, each name from where the one before it was found."""

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._lines = text.splitlines()
        self._at = 0

    def of(self, name: str) -> Place:
        """The place of a name; the first line where it is not found as it should be."""
        pattern = self._pattern(re.escape(name))
        for number in (*range(self._at, len(self._lines)), *range(self._at)):
            if match := pattern.search(self._lines[number]):
                self._at = number + 1
                return Place(self._path, number + 1, match.start(1) + 1, number + 1, match.end(1) + 1)
        return Place(self._path, 1, 1, 1, 1)

    def _pattern(self, name: str) -> re.Pattern[str]:
        if self._path.endswith("Pipfile.lock"):
            return re.compile(rf'^\s*"({name})"\s*:', re.IGNORECASE)
        if self._path.endswith("pyproject.toml"):
            return re.compile(rf"""["']({name})(?![\w.-])""", re.IGNORECASE)
        return re.compile(rf'^\s*name\s*=\s*["\']({name})["\']', re.IGNORECASE)


def _uv(document: Table, places: _Places) -> Iterable[PythonRequirement]:
    for package in document.get("package", []):
        source = package.get("source", {})
        if "registry" not in source:
            continue
        named = [*package.get("wheels", []), *([package["sdist"]] if "sdist" in package else [])]
        yield _locked(package, named, places, "")


def _poetry(document: Table, places: _Places) -> Iterable[PythonRequirement]:
    for package in document.get("package", []):
        source = package.get("source", {}).get("type", "")
        if source in {"git", "directory", "file", "url"}:
            continue
        marker = package.get("markers", "")
        found = _locked(package, package.get("files", []), places, marker if isinstance(marker, str) else "")
        yield replace(found, groups=tuple(package.get("groups", ())))


def _pylock(document: Table, places: _Places) -> Iterable[PythonRequirement]:
    for package in document.get("packages", []):
        if "version" not in package or any(kind in package for kind in ("vcs", "directory", "archive")):
            continue
        named = [*package.get("wheels", []), *([package["sdist"]] if "sdist" in package else [])]
        yield _locked(package, named, places, package.get("marker", ""))


def _locked(package: Table, named: Iterable[Table], places: _Places, marker: str) -> PythonRequirement:
    found = tuple(_file(one) for one in named)
    return PythonRequirement(
        canonicalize_name(package["name"]),
        places.of(package["name"]),
        f"=={package['version']}",
        marker=marker,
        files=found,
        is_locked=bool(found),
    )


def _file(entry: Table) -> ReleaseFile:
    name = entry.get("file") or entry.get("name") or str(entry.get("url") or entry.get("path") or "")
    digest = entry.get("hash") or f"sha256:{entry.get('hashes', {}).get('sha256', '')}"
    plain = name.partition("#")[0].partition("?")[0].rpartition("/")[2].replace("%2B", "+").replace("%2b", "+")
    return ReleaseFile(plain, digest.partition(":")[2])


def _pipenv(document: Table, places: _Places) -> Iterable[PythonRequirement]:
    for name, entry in document.get("default", {}).items():
        if "version" not in entry:
            continue
        hashes = frozenset(one.partition(":")[2] for one in entry.get("hashes", []))
        marker = entry.get("markers", "")
        yield PythonRequirement(
            canonicalize_name(name), places.of(name), entry["version"], marker=marker, hashes=hashes
        )


def _project(document: Table, places: _Places) -> Iterable[PythonRequirement]:
    """The dependencies of pyproject.toml, without extras and groups, which are installed only where they are named."""
    for text in document.get("project", {}).get("dependencies", []):
        name = re.split(r"[^\w.-]", text, maxsplit=1)[0]
        found = parse_requirement(text, places.of(name))
        if found is not None:
            yield found
