"""Reads package-lock.json: which packages there are, and for which platforms npm would install them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.auditing.packages.locks import LockError
from orchestrator.auditing.shell.machine import machine
from orchestrator.core.packages import Availability, Offer
from orchestrator.core.platform import Platform

_KEY = re.compile(r'^\s*"((?:node_modules/|)[^"]*)":\s*\{')


@dataclass(frozen=True, slots=True)
class NodePackage:
    """One package of a lock. `parts` are optional dependencies that hold the programs of single platforms.

    `absent` are names of such parts that the package asks for and the lock does not have.
    """

    name: str
    version: str
    line: int
    os: tuple[str, ...] = ()
    cpu: tuple[str, ...] = ()
    libc: tuple[str, ...] = ()
    is_optional: bool = False
    has_script: bool = False
    parts: tuple[NodePackage, ...] = ()
    absent: tuple[str, ...] = ()

    @property
    def is_bound(self) -> bool:
        """Whether it is for some platforms only."""
        return bool(self.os or self.cpu or self.libc)

    def fits(self, platform: Platform, libc: str) -> bool:
        """Whether npm installs it there, by its fields (npm's `npm-install-checks`)."""
        return (
            _allows(self.os, platform.os)
            and _allows(self.cpu, machine(platform).node)
            and _allows(self.libc, "musl" if libc == "musl" else "glibc")
        )


def _allows(listed: Iterable[str], value: str) -> bool:
    listed = tuple(listed)
    if f"!{value}" in listed:
        return False
    wanted = [one for one in listed if not one.startswith("!")]
    return not wanted or value in wanted or "any" in wanted


def read_node_lock(text: str) -> tuple[NodePackage, ...]:
    """The packages of a lock of version 2 or 3; LockError or ValueError for what is none."""
    document = json.loads(text)
    entries = document.get("packages") if isinstance(document, dict) else None
    if not entries or not isinstance(entries, dict):
        raise LockError("it has no `packages`: npm before 7 wrote it")
    lines = _lines(text)
    found = {
        path: _package(path, entry, lines.get(path, 1))
        for path, entry in entries.items()
        if "node_modules/" in path and isinstance(entry, dict) and not entry.get("link")
    }
    parts_of = {path: _parts(path, entries[path], found) for path in found}
    owned = {part for parts in parts_of.values() for part in parts}
    return tuple(
        _with_parts(one, [found[part] for part in parts_of[path]], entries[path])
        for path, one in found.items()
        if path not in owned
    )


def _lines(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if match := _KEY.match(line):
            found.setdefault(match[1], number)
    return found


def _package(path: str, entry: Mapping[str, Any], line: int) -> NodePackage:
    return NodePackage(
        str(entry.get("name") or path.rpartition("node_modules/")[2]),
        str(entry.get("version", "")),
        line,
        _texts(entry.get("os")),
        _texts(entry.get("cpu")),
        _texts(entry.get("libc")),
        bool(entry.get("optional") or entry.get("devOptional")),
        bool(entry.get("hasInstallScript")),
    )


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(str(one) for one in value) if isinstance(value, list) else ()


def _parts(path: str, entry: Mapping[str, Any], found: Mapping[str, NodePackage]) -> tuple[str, ...]:
    """The optional dependencies of a package that are for some platforms only, found as Node finds them."""
    named = entry.get("optionalDependencies")
    parts = (_resolved(path, name, found) for name in named) if isinstance(named, dict) else ()
    return tuple(part for part in parts if part and found[part].is_bound)


def _resolved(path: str, name: str, found: Mapping[str, NodePackage]) -> str:
    folder = path
    while True:
        candidate = f"{folder}/node_modules/{name}" if folder else f"node_modules/{name}"
        if candidate in found:
            return candidate
        if not folder:
            return ""
        folder = folder.rpartition("node_modules/")[0].rstrip("/")


def _with_parts(one: NodePackage, parts: list[NodePackage], entry: Mapping[str, Any]) -> NodePackage:
    if not parts:
        return one
    there = {part.name for part in parts}
    absent = tuple(name for name in entry["optionalDependencies"] if name not in there)
    return NodePackage(
        one.name,
        one.version,
        one.line,
        one.os,
        one.cpu,
        one.libc,
        one.is_optional,
        one.has_script,
        tuple(parts),
        absent,
    )


def node_offer(one: NodePackage, platform: Platform, libc: str) -> Offer:
    """What a platform gets of a package."""
    if one.is_bound and not one.fits(platform, libc):
        fields = ", ".join((*one.os, *one.cpu, *one.libc))
        return Offer(platform, Availability.NONE, "", f"it is for {fields} only")
    if one.parts:
        return _of_parts(one, platform, libc)
    if one.has_script:
        return Offer(platform, Availability.SOURCE, "", "its install script fetches or compiles what it needs")
    return Offer(platform, Availability.BUILT)


def _of_parts(one: NodePackage, platform: Platform, libc: str) -> Offer:
    """The part with the programs of the platform; a package for Linux elsewhere needs one here too."""
    fitting = next((part for part in one.parts if part.fits(platform, libc)), None)
    if fitting is not None:
        return Offer(platform, Availability.BUILT, f"{fitting.name}@{fitting.version}")
    if not any(_allows(part.os, platform.os) for part in one.parts):
        return Offer(platform, Availability.BUILT, "", "no part for Linux: the package works without")
    family = machine(platform).node
    lost = [name for name in one.absent if family in name and platform.os in name]
    if lost:
        return Offer(platform, Availability.NONE, "", f"the lock file lacks {lost[0]}, which holds its program there")
    if one.has_script:
        return Offer(platform, Availability.SOURCE, "", "no prebuilt part; its install script compiles")
    return Offer(platform, Availability.NONE, "", "none of its prebuilt parts is for that platform")
