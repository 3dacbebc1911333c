"""Judges what apt and apk install: whether the lists of the mirrors name it for every platform."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from orchestrator.auditing.packages.means import Means, Surveyed
from orchestrator.auditing.packages.repositories import for_release
from orchestrator.auditing.packages.site import base_image
from orchestrator.auditing.packages.system_installs import SystemInstall
from orchestrator.auditing.shell.machine import machine
from orchestrator.core.errors import MabuildError
from orchestrator.core.packages import Availability, Ecosystem, Offer, Package, Repository
from orchestrator.core.platform import Platform


@dataclass(frozen=True, slots=True)
class _Lists:
    """The lists of one installation for one platform; `why` says what of them is missing."""

    names: Mapping[str, str]
    why: str = ""


@dataclass(slots=True)
class SystemSurvey:
    """Looks packages up with these means."""

    means: Means

    def packages(self, installs: Iterable[tuple[Surveyed, SystemInstall]]) -> tuple[Package, ...]:
        """What all installations get."""
        return tuple(
            package for surveyed, install in installs if install.names for package in self._packages(surveyed, install)
        )

    def _packages(self, surveyed: Surveyed, install: SystemInstall) -> Iterable[Package]:
        lists = {platform: self._lists(install, platform) for platform in install.site.platforms}
        for name, place in install.names:
            offers = tuple(_offer(name, platform, lists, install) for platform in lists)
            yield Package(name, "", install.ecosystem, surveyed.placed(place), offers, surveyed.service)

    def _lists(self, install: SystemInstall, platform: Platform) -> _Lists:
        asked = self.means.repositories
        if asked is None:
            return _Lists({}, "no mirror was asked")
        names: dict[str, str] = {}
        failures: list[str] = []
        repositories = self._repositories(install, platform)
        for repository in repositories:
            try:
                names |= asked.names(repository, _architecture(install.ecosystem, platform))
            except MabuildError as error:
                failures.append(str(error))
        return _Lists(
            names, failures[0] if failures else "" if repositories else f"nothing names a mirror of {_title(install)}"
        )

    def _repositories(self, install: SystemInstall, platform: Platform) -> tuple[Repository, ...]:
        """What the Dockerfile adds, and this machine's mirrors for the release, else those that the image names."""
        environment = install.site.environment
        own = tuple(one for one in self.means.mirrors if one.distribution == environment.distribution)
        here = own if install.ecosystem is Ecosystem.ALPINE else for_release(own, environment.release)
        if not here and not (install.repositories and install.ecosystem is Ecosystem.ALPINE):
            image = base_image(install.site.context, install.site.call.run.stage, platform)
            found = self.means.sources_of(image, platform) if image else ()
            here = tuple(one for one in found if one.ecosystem is install.ecosystem)
        return tuple(dict.fromkeys((*install.repositories, *here)))


def _offer(name: str, platform: Platform, lists: Mapping[Platform, _Lists], install: SystemInstall) -> Offer:
    here = lists[platform]
    if name in here.names:
        return Offer(platform, Availability.BUILT, here.names[name])
    if here.why:
        return Offer(platform, Availability.UNKNOWN, "", here.why)
    elsewhere = [str(other) for other, one in lists.items() if name in one.names]
    if elsewhere:
        return Offer(platform, Availability.NONE, "", f"{_title(install)} has it for {' and '.join(elsewhere)} only")
    if install.adds_others:
        return Offer(
            platform, Availability.UNKNOWN, "", f"it is not in {_title(install)}, maybe in what the image adds"
        )
    return Offer(platform, Availability.UNKNOWN, "", f"no list of {_title(install)} names it")


def _title(install: SystemInstall) -> str:
    environment = install.site.environment
    return " ".join(filter(None, (environment.distribution, environment.release))) or install.ecosystem.value


def _architecture(ecosystem: Ecosystem, platform: Platform) -> str:
    names = machine(platform)
    return names.debian if ecosystem is Ecosystem.DEBIAN else names.alpine
