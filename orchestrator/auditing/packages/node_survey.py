"""Judges what npm installs from a lock file; no registry has to be asked for that."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from orchestrator.auditing.packages.means import Surveyed
from orchestrator.auditing.packages.node_lock import NodePackage, node_offer, read_node_lock
from orchestrator.auditing.packages.site import Site
from orchestrator.core.packages import Ecosystem, Package, Place

_LOCKS = ("package-lock.json", "npm-shrinkwrap.json")
_UNREAD = {"yarn": "yarn.lock", "pnpm": "pnpm-lock.yaml"}


@dataclass(slots=True)
class NodeSurvey:
    """The packages so far, and what could not be checked."""

    not_checked: list[str] = field(default_factory=list)

    def packages(self, surveyed: Surveyed, site: Site) -> Iterator[Package]:
        """What a call of npm installs; nothing for other calls."""
        match site.program, _words(site):
            case "npm", ["ci" | "clean-install" | "install" | "i"]:
                yield from self._of_lock(surveyed, site)
            case "yarn" | "pnpm", [] | ["install" | "i"]:
                name = _UNREAD[site.program]
                if site.find(name) is not None:
                    self.not_checked.append(f"{surveyed.shown(name)}: this lock file is not read yet")
            case _:
                return

    def _of_lock(self, surveyed: Surveyed, site: Site) -> Iterator[Package]:
        found = next((one for name in _LOCKS if (one := site.find(posixpath.join(_folder(site), name)))), None)
        if found is None:
            place = surveyed.placed(site.place)
            self.not_checked.append(f"{place.path}:{place.line}: there is no package-lock.json in the build context")
            return
        path, text = found
        try:
            packages = read_node_lock(text)
        except (ValueError, TypeError, RecursionError) as error:
            self.not_checked.append(f"{surveyed.shown(path)} cannot be read: {error}")
            return
        yield from (_package(surveyed, site, path, one) for one in _installed(packages, site))


def _words(site: Site) -> list[str]:
    return [word for word in site.arguments if not word.startswith("-")][:2]


def _folder(site: Site) -> str:
    words = site.arguments
    named = [words[at + 1] for at, word in enumerate(words[:-1]) if word in {"--prefix", "-C"}]
    return named[0] if named else next((one[9:] for one in words if one.startswith("--prefix=")), ".")


def _installed(packages: Iterable[NodePackage], site: Site) -> Iterator[NodePackage]:
    """Without optional ones that no platform of the call would take: npm leaves them out everywhere."""
    for one in packages:
        fits = any(one.fits(platform, site.environment.libc) for platform in site.platforms)
        if fits or not one.is_optional:
            yield one


def _package(surveyed: Surveyed, site: Site, path: str, one: NodePackage) -> Package:
    offers = tuple(node_offer(one, platform, site.environment.libc) for platform in site.platforms)
    place = surveyed.placed(Place(path, one.line, 1, one.line, 1))
    return Package(one.name, one.version, Ecosystem.NODE, place, offers, surveyed.service)
