"""What the files of a Python release are good for on a platform."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.tags import Tag, parse_tag
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from orchestrator.auditing.packages.environment import Environment, fitting_tags
from orchestrator.core.packages import Availability, Offer, ReleaseFile
from orchestrator.core.platform import Platform

_NEVER = 1_000_000
_SOURCES = (".tar.gz", ".zip", ".tar.bz2", ".tgz", ".tar.xz")


@dataclass(frozen=True, slots=True)
class Policy:
    """What the installation allows: `hashes` (none: any), wheels, sources."""

    hashes: frozenset[str] = frozenset()
    wheels: bool = True
    sources: bool = True


def offer(files: Iterable[ReleaseFile], environment: Environment, platform: Platform, policy: Policy) -> Offer:
    """What a platform gets of one release: a wheel, else its source distribution, else nothing and why."""
    files = tuple(files)
    usable = [one for one in files if _allows_python(one.requires_python, environment.python)]
    allowed = [one for one in usable if not policy.hashes or not one.sha256 or one.sha256 in policy.hashes]
    tags = fitting_tags(environment, platform)
    wheels = [one for one in allowed if one.is_wheel and _rank(one, tags) < _NEVER] if policy.wheels else []
    if wheels:
        best = min(wheels, key=lambda one: (one.is_yanked, _rank(one, tags), -_build(one.name), one.name))
        return Offer(platform, Availability.BUILT, best.name, "yanked" if best.is_yanked else "")
    sources = [one for one in allowed if is_source(one.name)]
    why = _why(files, usable, allowed, tags, environment)
    if sources and policy.sources:
        return Offer(platform, Availability.SOURCE, sources[0].name, why)
    if sources:
        why = f"{why}; source distributions are not allowed here"
    return Offer(platform, Availability.NONE, "", why)


def _rank(one: ReleaseFile, tags: Mapping[Tag, int]) -> int:
    """How well a wheel fits: 0 is best."""
    return min((tags.get(tag, _NEVER) for tag in tags_of(one.name)), default=_NEVER)


def _build(name: str) -> int:
    """The build number of a wheel; of two wheels with the same tags the later build is taken."""
    parts = name.split("-")
    match = re.match(r"\d{1,9}", parts[2]) if len(parts) == 6 else None
    return int(match[0]) if match else 0


def is_source(name: str) -> bool:
    """Whether a file is a source distribution."""
    return name.endswith(_SOURCES)


def _why(
    files: tuple[ReleaseFile, ...],
    usable: list[ReleaseFile],
    allowed: list[ReleaseFile],
    tags: Mapping[Tag, int],
    environment: Environment,
) -> str:
    """Why no wheel fits."""
    if files and not usable:
        return f"it does not support Python {environment.python}"
    hidden = [one for one in usable if one not in allowed and one.is_wheel and _rank(one, tags) < _NEVER]
    if hidden:
        return f"{hidden[0].name} is not among the listed hashes"
    wheels = [one for one in files if one.is_wheel]
    if not wheels:
        return "it has no wheel at all"
    return f"no wheel fits (there are: {_shown(wheels)})"


def _shown(wheels: list[ReleaseFile]) -> str:
    found = sorted({tag for one in wheels for tag in _platform_words(one.name)})
    more = f" and {len(found) - 6} more" if len(found) > 6 else ""
    return ", ".join(found[:6]) + more


def _platform_words(name: str) -> list[str]:
    parts = name.removesuffix(".whl").split("-")
    return [f"{parts[-3]}-{parts[-1].split('.')[-1]}"] if len(parts) >= 5 else []


@lru_cache(maxsize=65536)
def tags_of(name: str) -> frozenset[Tag]:
    """The tags in a wheel's name; none where it is no wheel's name."""
    parts = name.removesuffix(".whl").split("-")
    if len(parts) < 5 or not name.endswith(".whl"):
        return frozenset()
    return parse_tag("-".join(parts[-3:]))


@lru_cache(maxsize=4096)
def _specifiers(text: str) -> SpecifierSet | None:
    try:
        return SpecifierSet(text)
    except InvalidSpecifier:
        return None


def _allows_python(requires: str, python: str) -> bool:
    """pip ignores a Requires-Python that it cannot read; a minor version stands for its newest patch release."""
    specifiers = _specifiers(requires) if requires else None
    if specifiers is None:
        return True
    return any(specifiers.contains(f"{python}.{patch}", prereleases=True) for patch in (99, 0))


def version_of(file: str, name: str) -> Version | None:
    """The version of a file of the distribution `name`; None where its name tells none."""
    if file.endswith(".whl"):
        parts = file.split("-")
        return parsed_version(parts[1]) if len(parts) >= 5 else None
    ending = next((one for one in _SOURCES if file.endswith(one)), "")
    if not ending:
        return None
    stem = file.removesuffix(ending)
    for at in (at for at, sign in enumerate(stem) if sign == "-"):
        if canonicalize_name(stem[:at]) == name and (found := parsed_version(stem[at + 1 :])):
            return found
    return None


@lru_cache(maxsize=65536)
def parsed_version(text: str) -> Version | None:
    """A version in normal form; None for what is none."""
    try:
        return Version(text)
    except InvalidVersion:
        return None


def by_version(files: Iterable[ReleaseFile], name: str) -> dict[Version, list[ReleaseFile]]:
    """Files of a whole index page, by their versions."""
    found: dict[Version, list[ReleaseFile]] = {}
    for one in files:
        version = version_of(one.name, name)
        if version is not None:
            found.setdefault(version, []).append(one)
    return found
