"""Judges Python packages: gathers all releases, asks for them at once, and says what fits where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from orchestrator.auditing.packages.environment import Environment, marker_holds
from orchestrator.auditing.packages.locks import LockError, read_lock
from orchestrator.auditing.packages.means import Means, Surveyed
from orchestrator.auditing.packages.python_installs import PythonInstall
from orchestrator.auditing.packages.releases import Policy, by_version, offer, parsed_version
from orchestrator.auditing.packages.requirement import PythonRequirement
from orchestrator.core.packages import (
    Answers,
    Availability,
    Ecosystem,
    IndexOptions,
    Offer,
    Package,
    Pin,
    ReleaseFile,
)
from orchestrator.core.platform import Platform

_OFFLINE = "no index was asked"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A requirement of an installation, on the platforms whose markers let it be installed."""

    surveyed: Surveyed
    install: PythonInstall
    requirement: PythonRequirement
    platforms: tuple[Platform, ...]

    @property
    def pin(self) -> Pin:
        """The release to ask for; without a version where any may be taken."""
        return self.requirement.pin or Pin(self.requirement.name, "")

    @property
    def environment(self) -> Environment:
        """Where it is installed."""
        return self.install.site.environment


@dataclass(slots=True)
class PythonSurvey:
    """The packages so far, and what could not be checked."""

    means: Means
    not_checked: list[str] = field(default_factory=list)

    def packages(self, installs: Iterable[tuple[Surveyed, PythonInstall]]) -> tuple[Package, ...]:
        """What all installations get."""
        wanted = [one for surveyed, install in installs for one in self._wanted(surveyed, install)]
        answers = self._ask([one for one in wanted if not one.requirement.is_locked])
        packages = tuple(self._package(one, answers) for one in wanted)
        pairs = tuple(zip(wanted, packages, strict=True))
        newest = self._ask([one for one, package in pairs if _may_be_newer(package, one, answers)], newest=True)
        return tuple(self._remedied(package, one, newest) for one, package in pairs)

    def _wanted(self, surveyed: Surveyed, install: PythonInstall) -> Iterator[Wanted]:
        self.not_checked += install.not_read
        if install.options.no_index:
            return
        for requirement in self._resolved(install):
            platforms = tuple(one for one in install.site.platforms if _is_installed(requirement, install, one))
            if platforms:
                yield Wanted(surveyed, install, requirement, platforms)

    def _resolved(self, install: PythonInstall) -> tuple[PythonRequirement, ...]:
        """The requirements; with what they depend on, and versions where these are open, as a resolver says.

        A file that pins everything is taken for complete.
        """
        asked = install.asked.limited
        texts = tuple(one.text for one in asked if not one.is_locked and not one.address)
        here = install.site.place.path
        is_partial = any(one.pin is None or one.place.path == here for one in asked if not one.is_locked)
        if not texts or not is_partial or not install.resolves or self.means.indexes is None:
            return asked
        resolution = self.means.resolve(texts, install.site.environment.python, install.options)
        try:
            found = read_lock("pylock.toml", resolution.lock) if resolution.lock else ()
        except LockError:
            found = ()
        if not found:
            names = ", ".join(one.name for one in asked if not one.is_locked)
            self.not_checked.append(f"dependencies of {names}: {resolution.why}")
            return asked
        places = {one.name: one for one in asked}
        known = tuple(_placed(one, places, install) for one in found)
        return (*known, *(one for one in asked if one.is_locked or one.address))

    def _ask(self, wanted: list[Wanted], *, newest: bool = False) -> Mapping[tuple[IndexOptions, str], Answers]:
        groups: dict[tuple[IndexOptions, str], set[Pin]] = {}
        for one in wanted:
            if not one.requirement.address:
                groups.setdefault(_group(one), set()).add(Pin(one.pin.name, "") if newest else one.pin)
        return {group: self._answer(group, pins) for group, pins in groups.items()}

    def _answer(self, group: tuple[IndexOptions, str], pins: Iterable[Pin]) -> Answers:
        return self.means.indexes.ask(tuple(sorted(pins)), *group) if self.means.indexes is not None else Answers()

    def _package(self, one: Wanted, answers: Mapping[tuple[IndexOptions, str], Answers]) -> Package:
        answer = answers.get(_group(one), Answers())
        versions = _versions(one, answer, one.pin)
        version, files = self._chosen(one, versions)
        why = self._unknown(one, answer, files)
        offers = tuple(_offer(one, platform, files, why, answer.absent.get(one.pin, "")) for platform in one.platforms)
        remedy = "" if why or _all_built(offers) else _newer(one, version, versions)
        asked = one.requirement
        place, remedy_place = one.surveyed.placed(asked.place), one.surveyed.placed(asked.version_place)
        service = one.surveyed.service
        is_assumed = bool(one.environment.assumed)
        return Package(asked.name, version, Ecosystem.PYTHON, place, offers, service, remedy, remedy_place, is_assumed)

    def _chosen(
        self, one: Wanted, versions: Mapping[Version, list[ReleaseFile]]
    ) -> tuple[str, tuple[ReleaseFile, ...]]:
        """The version and its files; the newest that fits where any may be taken."""
        if one.requirement.is_locked:
            return one.pin.version, one.requirement.files
        if one.pin.version:
            wanted = parsed_version(one.pin.version)
            named = [files for version, files in versions.items() if wanted is not None and _is_same(version, wanted)]
            return one.pin.version, tuple(file for files in named for file in files)
        newest = _newest(one, versions)
        return (str(newest), tuple(versions[newest])) if newest else ("", ())

    def _remedied(self, package: Package, one: Wanted, newest: Mapping[tuple[IndexOptions, str], Answers]) -> Package:
        """The same with the newest version as its remedy, where that is built for all platforms."""
        answer = newest.get(_group(one))
        if answer is None or package.remedy or _all_built(package.offers):
            return package
        versions = _versions(one, answer, Pin(one.pin.name, ""))
        return replace(package, remedy=_newer(one, package.version, versions))

    def _unknown(self, one: Wanted, answer: Answers, files: tuple[ReleaseFile, ...]) -> str:
        """Why nothing can be said; empty where something can."""
        is_known = files and one.pin not in answer.unasked
        if one.requirement.is_locked or one.requirement.address or is_known:
            return ""
        if self.means.indexes is None:
            return _OFFLINE
        if one.pin in answer.unasked:
            return answer.unasked[one.pin]
        is_open = not one.pin.version and one.pin not in answer.absent
        return f"no version was found for {one.requirement.text}" if is_open else ""


def _versions(one: Wanted, answer: Answers, pin: Pin) -> dict[Version, list[ReleaseFile]]:
    """The files that indexes have, by version."""
    name = one.requirement.name
    return by_version((*answer.projects.get(name, ()), *answer.releases.get(pin, ())), name)


def _may_be_newer(package: Package, one: Wanted, answers: Mapping[tuple[IndexOptions, str], Answers]) -> bool:
    """Whether a newer version could help, and nobody said which versions there are."""
    lacks = any(each.verdict in {Availability.SOURCE, Availability.NONE} for each in package.offers)
    answer = answers.get(_group(one), Answers())
    is_known = package.name in answer.projects or one.pin in answer.absent
    return lacks and not is_known and bool(one.requirement.specifier) and not one.requirement.address


def _offer(one: Wanted, platform: Platform, files: tuple[ReleaseFile, ...], why: str, absent: str) -> Offer:
    """What a platform gets. `why` says why nobody knows, `absent` why no index has the release."""
    if why:
        return Offer(platform, Availability.UNKNOWN, "", why)
    if one.requirement.address:
        return Offer(platform, Availability.SOURCE, "", "it is built from an address")
    if absent and not files:
        return Offer(platform, Availability.NONE, "", absent)
    return _with_note(offer(files, one.environment, platform, _policy(one)), one.environment)


def _is_same(version: Version, wanted: Version) -> bool:
    """Whether `==` takes it: `==2.3` also takes 2.3+cu121 (PEP 440, version matching)."""
    return version == wanted or (wanted.local is None and version.public == wanted.public)


def _with_note(each: Offer, environment: Environment) -> Offer:
    """An offer that is no wheel, with what was assumed of the surroundings."""
    if each.verdict is Availability.BUILT or not environment.note:
        return each
    return replace(each, reason=f"{each.reason} ({environment.note})")


def _placed(
    one: PythonRequirement, asked: Mapping[str, PythonRequirement], install: PythonInstall
) -> PythonRequirement:
    """A resolved release, at the place of what asked for it; dependencies at that of the call."""
    source = asked.get(one.name)
    if source is None:
        return replace(one, place=install.site.place, files=(), is_locked=False)
    place, version_place = source.place, source.version_place
    return replace(one, place=place, version_place=version_place, hashes=source.hashes, files=(), is_locked=False)


def _is_installed(requirement: PythonRequirement, install: PythonInstall, platform: Platform) -> bool:
    is_led_to = not requirement.only_on or platform in requirement.only_on
    return is_led_to and marker_holds(requirement.marker, install.site.environment, platform)


def _group(one: Wanted) -> tuple[IndexOptions, str]:
    return one.install.options, one.environment.python


def _policy(one: Wanted) -> Policy:
    asked, names = one.install.asked, {one.requirement.name, ":all:"}
    return Policy(one.requirement.hashes, not names & set(asked.no_binary), not names & set(asked.only_binary))


def _all_built(offers: Iterable[Offer]) -> bool:
    return all(one.verdict is Availability.BUILT for one in offers)


def _newest(one: Wanted, versions: Mapping[Version, list[ReleaseFile]]) -> Version | None:
    try:
        allowed = SpecifierSet(one.requirement.specifier)
    except InvalidSpecifier:
        return None
    fitting = [
        version for version in versions if version in allowed and not all(f.is_yanked for f in versions[version])
    ]
    for version in sorted(fitting, reverse=True):
        offers = [offer(versions[version], one.environment, each, _policy(one)) for each in one.platforms]
        if any(each.verdict is not Availability.NONE for each in offers):
            return version
    return max(fitting, default=None)


def _newer(one: Wanted, version: str, versions: Mapping[Version, list[ReleaseFile]]) -> str:
    """The next newer version that is built for all platforms; empty where there is none."""
    current = parsed_version(version)
    policy = replace(_policy(one), hashes=frozenset())
    for candidate in sorted(versions) if current is not None else ():
        is_newer = current is not None and candidate > current and not candidate.is_prerelease
        if is_newer and all(
            found.verdict is Availability.BUILT and found.reason != "yanked"
            for found in (offer(versions[candidate], one.environment, each, policy) for each in one.platforms)
        ):
            return str(candidate)
    return ""
