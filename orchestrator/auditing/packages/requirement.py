"""A Python distribution that is asked for: name, versions, markers, hashes, and where that is written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import unquote, urlsplit

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from orchestrator.core.packages import Pin, Place, ReleaseFile
from orchestrator.core.platform import Platform

NOWHERE = Place("")
_ADDRESS = re.compile(r"(?:[a-z]+\+)?(?:https?|file|ssh|git)://")


@dataclass(frozen=True, slots=True)
class PythonRequirement:
    """One distribution. `hashes` are SHA-256 sums (none: any file will do); `address` is that of a direct reference.

    `only_on` are the platforms that take it by what leads to it in a lock, empty for all where the marker holds.
    `version_place` is where the version stands that could be changed, where there is one.
    `files` are those that a lock file names; with `is_locked` an installer takes no others.
    """

    name: str
    place: Place
    specifier: str = ""
    extras: tuple[str, ...] = ()
    marker: str = ""
    hashes: frozenset[str] = frozenset()
    address: str = ""
    files: tuple[ReleaseFile, ...] = ()
    is_locked: bool = False
    version_place: Place = NOWHERE
    only_on: tuple[Platform, ...] = ()
    groups: tuple[str, ...] = ()

    @property
    def pin(self) -> Pin | None:
        """The one version that it allows; None where there may be several."""
        return Pin(self.name, version) if (version := exact_version(self.specifier)) else None

    @property
    def text(self) -> str:
        """As a line of a requirements file, without its hashes."""
        extras = f"[{','.join(self.extras)}]" if self.extras else ""
        marker = f" ; {self.marker}" if self.marker else ""
        where = f" @ {self.address}" if self.address else self.specifier
        return f"{self.name}{extras}{where}{marker}"


def exact_version(specifier: str) -> str:
    """The version of `==1.2` or `===1.2`; empty for ranges and wildcards."""
    try:
        found = [one for one in SpecifierSet(specifier) if one.operator in {"==", "==="}]
    except InvalidSpecifier:
        return ""
    exact = [one.version for one in found if not one.version.endswith(".*")]
    return exact[0] if exact else ""


def parse_requirement(
    text: str, place: Place, hashes: Iterable[str] = (), written: str = ""
) -> PythonRequirement | None:
    """What a requirement in pip's words asks for; None for what is none, such as a local path.

    `written` is the text as it stands at the place, on one line.
    """
    if " @ " not in text and (text.endswith((".whl", ".tar.gz", ".zip")) or _ADDRESS.match(text)):
        return _wheel(text, place)
    try:
        found = Requirement(text)
    except InvalidRequirement:
        return None
    if found.url and urlsplit(found.url).path.endswith(".whl"):
        wheel = _wheel(found.url, place)
        return replace(wheel, marker=str(found.marker or "")) if wheel is not None else None
    return PythonRequirement(
        canonicalize_name(found.name),
        place,
        str(found.specifier),
        tuple(sorted(found.extras)),
        str(found.marker) if found.marker else "",
        frozenset(hashes),
        found.url or "",
        version_place=_version_place(place, written, exact_version(str(found.specifier))),
    )


def _wheel(address: str, place: Place) -> PythonRequirement | None:
    """A wheel by its path or address. Others are of sources, which fit every platform as far as anyone knows."""
    name = unquote(address.partition("#")[0].partition("?")[0].rpartition("/")[2])
    parts = name.split("-")
    if not name.endswith(".whl") or len(parts) < 5 or "*" in name or "$" in name:
        return None
    files = (ReleaseFile(name),)
    return PythonRequirement(canonicalize_name(parts[0]), place, f"=={parts[1]}", files=files, is_locked=True)


def _version_place(place: Place, written: str, version: str) -> Place:
    at = written.find(f"={version}") + 1
    if not version or not at:
        return NOWHERE
    return Place(place.path, place.line, place.column + at, place.line, place.column + at + len(version))


def constrained(
    requirements: Iterable[PythonRequirement], constraints: Iterable[PythonRequirement]
) -> tuple[PythonRequirement, ...]:
    """The requirements, each with the versions and hashes that constraints allow for its name as well."""
    limits = {one.name: one for one in constraints}
    return tuple(_within(one, limits[one.name]) if one.name in limits else one for one in requirements)


def _within(one: PythonRequirement, limit: PythonRequirement) -> PythonRequirement:
    specifier = ",".join(filter(None, (one.specifier, limit.specifier)))
    return replace(one, specifier=specifier, hashes=one.hashes or limit.hashes)
