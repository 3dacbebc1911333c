"""Opens the doors that a survey of packages asks through: configured indexes over HTTP, and uv for the built-in one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.auditing.packages.locks import LockError, read_lock
from orchestrator.auditing.packages.means import Means, Resolution, no_resolver
from orchestrator.auditing.packages.repositories import apk_repositories, apt_sources
from orchestrator.buildx.uv import find_uv, locked
from orchestrator.commands.base_sources import BaseSources
from orchestrator.commands.base_variables import variables_of_images
from orchestrator.commands.doors import opened_stores, reachable_registries
from orchestrator.commands.session import Session
from orchestrator.core.errors import MabuildError
from orchestrator.core.fleet import Fleet
from orchestrator.core.packages import Answers, IndexOptions, Pin, ReleaseFile, Repository

if TYPE_CHECKING:
    from orchestrator.registry.packages.python_index import PythonIndexes

_NO_INDEX = "no index is configured for pip or uv, and uv, which has one built in, is not installed"
_LOGIN = re.compile(r"://[^/@\s]*@")
_MOST_ATTEMPTS = 40
_REFUSED = re.compile(r"[^\n]*(?:could not be queried|Unauthorized|Forbidden)[^\n]*")
"""uv goes on without an index that refuses it, and then says that there is no such package."""


@contextmanager
def package_means(session: Session, *, offline: bool) -> Iterator[Means]:
    """What a survey asks with; offline it asks nobody."""
    if offline:
        yield Means()
        return
    from orchestrator.registry.packages.configuration import configured_indexes
    from orchestrator.registry.packages.mirrors import Mirrors
    from orchestrator.registry.packages.pages import Pages
    from orchestrator.registry.packages.python_index import PythonIndexes

    configuration = configured_indexes(session.environment)
    pages = Pages(
        session.cache_directory / "packages",
        session.environment,
        certificates=configuration.certificates,
        trusted=configuration.trusted,
    )
    try:
        indexes = PythonIndexes(pages, configuration)
        uv = Uv(find_uv(session.environment), session, indexes)
        with opened_stores(reachable_registries(Fleet(()), session), session) as stores:
            yield Means(
                AllIndexes(indexes, uv),
                uv.resolve,
                Mirrors(pages),
                machine_mirrors(Path("/etc")),
                variables_of_images(stores.client),
                BaseSources(stores.client, session.cache_directory / "packages").of,
            )
    finally:
        pages.close()


def machine_mirrors(folder: Path) -> tuple[Repository, ...]:
    """The mirrors that this machine itself installs from; `folder` is its `/etc`."""
    match = re.search(r"^ID=\"?([\w.-]+)", _text(folder / "os-release"), re.MULTILINE)
    distribution = match[1] if match else ""
    lists = sorted((folder / "apt" / "sources.list.d").glob("*.*")) if (folder / "apt").is_dir() else []
    found = [
        one for path in (folder / "apt" / "sources.list", *lists) for one in apt_sources(_text(path), distribution)
    ]
    return (*dict.fromkeys(found), *apk_repositories(_text(folder / "apk" / "repositories")))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    except OSError:
        return ""


@dataclass(frozen=True, slots=True)
class AllIndexes:
    """Configured and named indexes, and uv's own where nothing names a main one."""

    named: PythonIndexes
    uv: Uv

    def ask(self, pins: tuple[Pin, ...], options: IndexOptions, python: str) -> Answers:
        """What all of them have together."""
        if not self.named.lacks_main(options):
            return self.named.ask(pins, options, python)
        found = self.named.ask(pins, options, python) if self.named.addresses(options) else Answers()
        built_in = self.uv.ask(pins, options, python)
        joined = found.joined(built_in)
        there = {pin for pin in pins if pin.name in found.projects or pin in built_in.releases}
        return replace(joined, absent={pin: why for pin, why in joined.absent.items() if pin not in there})


@dataclass(frozen=True, slots=True)
class Uv:
    """uv as a client of the index that is built into it. `program` is empty where it is not installed."""

    program: str
    session: Session
    named: PythonIndexes

    def ask(self, pins: tuple[Pin, ...], options: IndexOptions, python: str) -> Answers:  # noqa: ARG002
        """The files of releases. Where several versions of one distribution are asked for, in several calls."""
        if not self.program:
            return Answers(unasked=dict.fromkeys(pins, _NO_INDEX))
        result = Answers()
        for batch in _batches(pins):
            result = result.joined(self._ask(batch, python))
        return result

    def _ask(self, pins: tuple[Pin, ...], python: str) -> Answers:
        """Ask for all at once; a release that has no solution is noted and left out of the next attempt."""
        left, absent = set(pins), dict[Pin, str]()
        why = "uv finds no solution"
        for _ in range(_MOST_ATTEMPTS):
            if not left:
                return Answers(absent=absent)
            static = [pin.name for pin in left]
            try:
                done = locked(
                    self.program, [_line(pin) for pin in sorted(left)], python, self.session.environment, static
                )
                if not done.code:
                    return Answers(releases=_releases(done.stdout, left), absent=absent)
            except (MabuildError, LockError) as error:
                return Answers(absent=absent, unasked=dict.fromkeys(left, str(error)))
            culprits = _culprits(done.stderr, left)
            if not culprits:
                why = _said(done.stderr)
                break
            absent |= culprits
            left -= culprits.keys()
        return Answers(absent=absent, unasked=dict.fromkeys(left, why))

    def resolve(self, requirements: tuple[str, ...], python: str, options: IndexOptions) -> Resolution:
        """A lock of requirements with all that they depend on."""
        if not self.program:
            return no_resolver(requirements, python, options)
        main, *others = (*self.named.addresses(options), "")
        if self.named.lacks_main(options):
            main, others = "", list(self.named.addresses(options))
        indexes = {"UV_INDEX": " ".join(filter(None, others))} if any(others) else {}
        indexes |= {"UV_DEFAULT_INDEX": main} if main else {}
        try:
            done = locked(self.program, requirements, python, {**self.session.environment, **indexes}, ())
        except MabuildError as error:
            return Resolution(why=str(error))
        return Resolution(done.stdout) if not done.code else Resolution(why=_said(done.stderr))


def _line(pin: Pin) -> str:
    return str(pin) if pin.version else pin.name


def _batches(pins: Iterable[Pin]) -> list[tuple[Pin, ...]]:
    rounds: list[dict[str, Pin]] = []
    for pin in pins:
        free = next((one for one in rounds if pin.name not in one), None)
        if free is None:
            free = {}
            rounds.append(free)
        free[pin.name] = pin
    return [tuple(one.values()) for one in rounds]


def _releases(lock: str, pins: Iterable[Pin]) -> dict[Pin, tuple[ReleaseFile, ...]]:
    """Files by what was asked for, so that `1.0` finds `1.0.0`."""
    files = {one.name: (one.specifier.removeprefix("=="), one.files) for one in read_lock("pylock.toml", lock)}
    found = {pin: files[pin.name][1] for pin in pins if pin.name in files}
    return {**found, **{Pin(name, version): of for name, (version, of) in files.items()}}


def _culprits(said: str, pins: Iterable[Pin]) -> dict[Pin, str]:
    """The releases that uv says have no solution, and why."""
    if "No solution found" not in said or _REFUSED.search(said):
        return {}
    text = " ".join(said.split())
    found: dict[Pin, str] = {}
    for pin in pins:
        name = re.escape(pin.name)
        if re.search(rf"\b{name}(?![\w.-]) was not found in the package registry", text):
            found[pin] = "no index has it"
        elif pin.version and re.search(rf"(?<![\w.-]){re.escape(str(pin))}(?![\w-]|\.\d)", text):
            is_python = f"{pin} depends on Python" in text
            found[pin] = "it does not support this Python" if is_python else f"there is no version {pin.version}"
    return found


def _said(text: str) -> str:
    """The last cause that uv names, without a login."""
    refused = _REFUSED.search(text)
    if refused:
        return f"uv is refused: {_LOGIN.sub('://', refused[0].strip())[:200]}"
    lines = [line.strip() for line in text.splitlines() if line.strip().startswith(("error:", "cause:"))]
    last = lines[-1].partition(": ")[2] if lines else "it says nothing"
    return f"uv finds no answer: {_LOGIN.sub('://', last)[:200]}"
