"""Reads which repositories apt and apk take packages from: sources lists, deb822 files, and what a Dockerfile adds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from orchestrator.core.packages import Ecosystem, Repository

_ONE_LINE = re.compile(
    r"(?:^|[\"'\s])deb[ \t]+(?:\[[^\]]*\][ \t]+)?(https?://[^\s\"']+)[ \t]+([\w./-]+)((?:[ \t]+[\w.-]+)*)", re.MULTILINE
)
_ALPINE = re.compile(
    r"(?:^|[\"'\s])(?:@\w+\s+)?(https?://[^\s\"']+/(?:main|community|testing))(?=$|[\"'\s])", re.MULTILINE
)
_FIELD = re.compile(r"^([A-Za-z-]+):\s*(.*)$")


def apt_sources(text: str, distribution: str = "") -> tuple[Repository, ...]:
    """The repositories of a sources list, in one-line or deb822 form, or of a shell text that writes such lines."""
    found = [*_of_lines(text), *_of_fields(text)]
    return tuple(dict.fromkeys(replace(one, distribution=distribution) for one in found))


def apk_repositories(text: str) -> tuple[Repository, ...]:
    """The repositories of `/etc/apk/repositories`, or of a shell text that writes such lines."""
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    found = (Repository(Ecosystem.ALPINE, address, distribution="alpine") for address in _ALPINE.findall(lines))
    return tuple(dict.fromkeys(found))


def _of_lines(text: str) -> Iterator[Repository]:
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    for address, suite, components in _ONE_LINE.findall(lines):
        yield from _all(address, [suite], components.split())


def _of_fields(text: str) -> Iterator[Repository]:
    for stanza in re.split(r"\n\s*\n", text):
        fields = {
            match[1].lower(): match[2]
            for line in stanza.splitlines()
            if not line.startswith("#") and (match := _FIELD.match(line))
        }
        if "deb" in fields.get("types", "").split():
            for address in fields.get("uris", "").split():
                yield from _all(address, fields.get("suites", "").split(), fields.get("components", "").split())


def _all(address: str, suites: Iterable[str], components: Iterable[str]) -> Iterator[Repository]:
    components = tuple(components)
    for suite in suites:
        for component in () if suite.endswith("/") else components:
            yield Repository(Ecosystem.DEBIAN, address.rstrip("/"), suite, component)


def for_release(repositories: Iterable[Repository], release: str) -> tuple[Repository, ...]:
    """The same mirrors for another release: `bookworm-updates` becomes `trixie-updates`."""
    found = (
        replace(one, suite=re.sub(r"^[a-z]+(?=$|[-/])", release, one.suite)) if one.suite else one
        for one in repositories
    )
    return tuple(dict.fromkeys(found))
