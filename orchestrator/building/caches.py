"""BuildKit's caches: one place for each service and platform, the branch's own before that of the default branch.

One place for all platforms would keep only the last one that was written (docker/buildx#1044).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from orchestrator.buildx.output import comma_separated
from orchestrator.core.fleet import CacheType, Service
from orchestrator.core.platform import Platform

_REPOSITORY = "mabuild-cache"
_FOLDER = ".mabuild/cache"
_NO_SLUG = re.compile(r"[^a-z0-9]+")
_LONGEST_SLUG = 40


Fields = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Branches:
    """Whose caches are read and written. A build of a fork or pull request reads, and is not `writable`."""

    branch: str = ""
    default: str = "main"
    writable: bool = True


@dataclass(frozen=True, slots=True)
class Caches:
    """Values of `--cache-from` and `--cache-to`."""

    sources: tuple[str, ...] = ()
    goals: tuple[str, ...] = ()


NO_CACHES = Caches()


def caches_of(service: Service, platform: Platform, branches: Branches) -> Caches:
    """The caches of a cell. Trouble with writing them never fails a build (`ignore-error`)."""
    if service.cache.type is CacheType.NONE:
        return NO_CACHES
    sources, goal = _fields(service, platform, branches)
    goals = (comma_separated((*goal, "mode=max", "ignore-error=true")),) if branches.writable else ()
    return Caches(tuple(comma_separated(source) for source in sources), goals)


def _fields(service: Service, platform: Platform, branches: Branches) -> tuple[list[Fields], Fields]:
    """What is read, and what is written; `mode=max` keeps the layers of all stages."""
    names = tuple(dict.fromkeys((branches.branch or branches.default, branches.default)))
    if service.cache.type is CacheType.LOCAL:
        folder = f"{service.cache.reference or _FOLDER}/{_place(service, platform, '')}"
        return [("type=local", f"src={folder}")], ("type=local", f"dest={folder}")
    if service.cache.type is CacheType.GHA:
        sources: list[Fields] = [("type=gha", f"scope={_place(service, platform, name)}") for name in names]
        return sources, sources[0]
    sources = [("type=registry", f"ref={_reference(service, platform, name)}") for name in names]
    return sources, (*sources[0], "image-manifest=true", "oci-mediatypes=true")


def _reference(service: Service, platform: Platform, branch: str) -> str:
    image = service.images[0]
    above, _, _ = image.repository.rpartition("/")
    repository = service.cache.reference or f"{image.registry}/{above}{'/' if above else ''}{_REPOSITORY}"
    return f"{repository}:{_place(service, platform, branch)}"


def _place(service: Service, platform: Platform, branch: str) -> str:
    slug = _NO_SLUG.sub("-", branch.lower()).strip("-")[:_LONGEST_SLUG]
    return "-".join(part for part in (service.name, platform.slug, slug) if part)
