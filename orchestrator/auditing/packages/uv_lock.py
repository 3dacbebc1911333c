"""Which packages of a uv.lock an installation takes: those that the project leads to by edges whose markers hold."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from orchestrator.auditing.packages.locks import LockError

Table = Mapping[str, Any]
Release = tuple[str, str]
Holds = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Selection:
    """Extras and dependency groups; `every_extra` and `every_group` take all of them, `with_project` the project."""

    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ("dev",)
    every_extra: bool = False
    every_group: bool = False
    with_project: bool = True


def selection_of(words: Iterable[str]) -> Selection:
    """What the options of `uv sync` choose; the group `dev` is in by default."""
    words = tuple(words)
    extras, groups = values_of(words, "--extra"), values_of(words, "--group")
    without, only = values_of(words, "--no-group"), values_of(words, "--only-group")
    has_default = not {"--no-dev", "--no-default-groups"} & set(words) and not only
    chosen = (*(("dev",) if has_default else ()), *groups, *only, *(("dev",) if "--only-dev" in words else ()))
    return Selection(
        extras,
        tuple(name for name in dict.fromkeys(chosen) if name not in without),
        "--all-extras" in words,
        "--all-groups" in words,
        not only and "--only-dev" not in words,
    )


def values_of(words: tuple[str, ...], option: str) -> tuple[str, ...]:
    """The values of an option that may be given several times."""
    behind = [words[at + 1] for at, word in enumerate(words[:-1]) if word == option]
    return (*behind, *(word.partition("=")[2] for word in words if word.startswith(f"{option}=")))


def reachable(text: str, selection: Selection, holds: Holds) -> frozenset[Release]:
    """Name and version of all that is installed where `holds` says which markers do; LockError for what is no lock."""
    try:
        return _reachable(_packages(text), selection, holds)
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise LockError(f"uv.lock cannot be read: {error}") from error


@lru_cache(maxsize=8)
def _packages(text: str) -> tuple[Table, ...]:
    return tuple(tomllib.loads(text).get("package", []))


def _reachable(packages: tuple[Table, ...], selection: Selection, holds: Holds) -> frozenset[Release]:
    by_name: dict[str, list[Table]] = {}
    for one in packages:
        by_name.setdefault(one["name"], []).append(one)
    found: set[Release] = set()
    seen: set[tuple[Release, str]] = set()
    left = [edge for root in _roots(packages) for edge in _edges_of_root(root, selection)]
    while left:
        edge = left.pop()
        if not holds(edge.get("marker", "")):
            continue
        for package in _targets(edge, by_name):
            release = (package["name"], package.get("version", ""))
            found.add(release)
            fresh = {(release, extra) for extra in ("", *edge.get("extra", ()))} - seen
            seen |= fresh
            left += [one for _, extra in fresh for one in _edges(package, extra)]
    return frozenset(found)


def _roots(packages: Iterable[Table]) -> list[Table]:
    """The project in this folder; the members of the workspace where none is there."""
    members = [one for one in packages if {"editable", "virtual"} & one.get("source", {}).keys()]
    own = [one for one in members if "." in one["source"].values()]
    return own or members


def _edges_of_root(root: Table, selection: Selection) -> Iterator[Table]:
    optional, groups = root.get("optional-dependencies", {}), root.get("dev-dependencies", {})
    if selection.with_project:
        yield from root.get("dependencies", [])
        for name, edges in optional.items():
            yield from edges if selection.every_extra or name in selection.extras else ()
    for name, edges in groups.items():
        yield from edges if selection.every_group or name in selection.groups else ()


def _edges(package: Table, extra: str) -> Iterable[Table]:
    found: Iterable[Table] = (
        package.get("optional-dependencies", {}).get(extra, []) if extra else package.get("dependencies", [])
    )
    return found


def _targets(edge: Table, by_name: Mapping[str, list[Table]]) -> list[Table]:
    named = by_name.get(edge["name"], [])
    return [one for one in named if one.get("version", "") == edge["version"]] if "version" in edge else named
