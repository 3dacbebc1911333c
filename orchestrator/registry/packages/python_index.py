"""Asks the Python indexes that are set up or named: one page a distribution, many at once."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from orchestrator.core.errors import MabuildError
from orchestrator.core.packages import Answers, IndexOptions, Pin, ReleaseFile
from orchestrator.registry.packages.configuration import IndexConfiguration
from orchestrator.registry.packages.pages import AbsentError, Pages
from orchestrator.registry.packages.simple import ACCEPT, files_of, rows_of

_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class _Found:
    files: tuple[ReleaseFile, ...] = ()
    is_there: bool = False
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PythonIndexes:
    """The indexes of pip's and uv's configuration, and those that an installation names itself."""

    pages: Pages
    configuration: IndexConfiguration
    _links: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def addresses(self, options: IndexOptions) -> tuple[str, ...]:
        """The indexes that are asked, first the main one; empty where nothing names any."""
        if options.no_index:
            return ()
        main = options.index or self.configuration.index
        return tuple(dict.fromkeys(one for one in (main, *options.extra, *self.configuration.extra) if one))

    def lacks_main(self, options: IndexOptions) -> bool:
        """Whether nothing names a main index, so that an installer takes the one that is built into it."""
        return not options.no_index and not (options.index or self.configuration.index)

    def ask(self, pins: tuple[Pin, ...], options: IndexOptions, python: str) -> Answers:  # noqa: ARG002
        """All files of the distributions, over all indexes, as pip joins them."""
        names = sorted({pin.name for pin in pins})
        addresses, links = self.addresses(options), self._linked(options.links)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            found = dict(zip(names, pool.map(lambda name: self._project(name, addresses, links), names), strict=True))
        unasked = {pin: found[pin.name].failures[0] for pin in pins if found[pin.name].failures}
        absent = {pin: "no index has it" for pin in pins if not found[pin.name].is_there and pin not in unasked}
        return Answers({name: one.files for name, one in found.items() if one.is_there}, {}, absent, unasked)

    def _project(self, name: str, addresses: tuple[str, ...], links: tuple[str, ...]) -> _Found:
        files = [ReleaseFile(file) for file in links if _is_of(file, name)]
        is_there = bool(files)
        failures: list[str] = []
        for address in addresses:
            try:
                files += files_of(self.pages.read(f"{address.rstrip('/')}/{name}/", ACCEPT, rows_of))
                is_there = True
            except AbsentError:
                continue
            except (MabuildError, ValueError) as error:
                failures.append(str(error))
        return _Found(tuple(files), is_there, tuple(failures))

    def _linked(self, links: Iterable[str]) -> tuple[str, ...]:
        """The names of files on pages of find-links; folders of an image are known only while it is built."""
        return tuple(name for link in links if link.startswith(("http://", "https://")) for name in self._link(link))

    def _link(self, link: str) -> tuple[str, ...]:
        if link not in self._links:
            try:
                found = files_of(self.pages.read(link, "text/html", rows_of))
            except MabuildError:
                found = ()
            self._links[link] = tuple(one.name for one in found)
        return self._links[link]


def _is_of(file: str, name: str) -> bool:
    stem = file.lower().replace("_", "-").replace(".", "-")
    return stem.startswith(f"{name}-") and file.endswith((".whl", ".tar.gz", ".zip"))
