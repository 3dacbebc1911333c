"""What registries tell an audit: the platforms of base images, and whether a pinned digest is that of an index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache

from orchestrator.auditing.engine import Options
from orchestrator.commands.doors import asking, fleet_if_any, opened_stores, reachable_registries
from orchestrator.commands.session import Session
from orchestrator.core.errors import MabuildError
from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference
from orchestrator.planning.published import Published


@contextmanager
def online(options: Options, files: list[str] | None, here: Session) -> Iterator[Options]:
    """The options with answers of registries; each image is asked once, and one that does not answer is told once."""
    fleet = fleet_if_any(here, files)
    with opened_stores(reachable_registries(fleet, here), here) as stores:
        ask = asking(stores.client)

        @cache
        def answer(name: str) -> Published | None:
            try:
                return ask(Reference.parse(name))
            except MabuildError as error:
                here.say(f"not checked: {name}: {error.message}\n")
                return None

        def platforms(name: str) -> tuple[Platform, ...] | None:
            found = answer(name)
            return tuple(entry.platform for entry in found.platforms) if found else None

        def is_index(name: str) -> bool | None:
            found = answer(name)
            return found.is_list if found else None

        yield replace(options, published=platforms, is_index=is_index)
