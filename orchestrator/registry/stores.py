"""Where an image is, by how it is written: `repo:tag`, `repo@digest`, or a scheme from the table and a place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from orchestrator.core.errors import UsageError
from orchestrator.core.fleet import RegistrySettings
from orchestrator.core.reference import Reference, is_digest
from orchestrator.registry.client import RegistryClient
from orchestrator.registry.layout import Content, DirectoryContent, LayoutStore
from orchestrator.registry.store import Store


@dataclass(frozen=True, slots=True)
class Opened(AbstractContextManager["Opened"]):
    """A store, the reference of the image in it (with a tag or a digest), and the image's name as it was typed."""

    store: Store
    reference: Reference
    name: str
    close: Callable[[], None] = lambda: None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Stores:
    """Opens images; those in registries share one client, with its connections, logins and counts."""

    def __init__(
        self,
        settings: tuple[RegistrySettings, ...],
        environment: Mapping[str, str],
        *,
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.environment = environment
        self.client = RegistryClient(settings, environment, warn=warn)

    def open(self, text: str) -> Opened:
        """Find the store for an image; UsageError where the text names no image."""
        scheme, colon, place = text.partition(":")
        if colon and scheme in STORES:
            if not place:
                raise UsageError(f"{text!r} names no place", hint=f"write {scheme}:PLACE")
            return STORES[scheme](self, place, text)
        return Opened(self.client, Reference.parse(text).or_latest, text)

    def close(self) -> None:
        """Close idle connections."""
        self.client.close()


def open_store(text: str, *, settings: tuple[RegistrySettings, ...], environment: Mapping[str, str]) -> Opened:
    """Open one image; use `Stores` for several."""
    stores = Stores(settings, environment)
    opened = stores.open(text)
    return opened if opened.store is not stores.client else Opened(opened.store, opened.reference, text, stores.close)


def _layout(stores: Stores, place: str, text: str) -> Opened:  # noqa: ARG001
    path, tag, digest = _split(place)
    return _opened(DirectoryContent(Path(path)), Reference("oci-layout", path, tag, digest), text)


def _archive(stores: Stores, place: str, text: str) -> Opened:  # noqa: ARG001
    from orchestrator.registry.archive import open_archive_file

    path, tag, digest = _split(place)
    return _opened(open_archive_file(Path(path)), Reference("oci-archive", path, tag, digest), text)


def _daemon(stores: Stores, place: str, text: str) -> Opened:
    from orchestrator.registry.daemon import open_image

    wanted = Reference.parse(place).or_latest
    content = open_image(wanted.familiar, stores.environment)
    return _opened(content, Reference("docker-daemon", wanted.familiar.partition("@")[0].rpartition(":")[0]), text)


def _opened(content: Content, reference: Reference, text: str) -> Opened:
    """Pin the image to its digest: the place may be read again later, and is then held to the same bytes."""
    try:
        store = LayoutStore(content)
        document = store.manifest(reference)
    except BaseException:
        content.close()
        raise
    return Opened(store, reference.with_digest(document.digest), text, store.close)


def _split(place: str) -> tuple[str, str, str]:
    """Path, tag (or whole name) and digest of `PATH[:tag|@digest]`; the longest path that exists is taken."""
    ends = [len(place), *(index for index in range(len(place) - 1, 0, -1) if place[index] in ":@")]
    end = next((end for end in ends if Path(place[:end]).exists()), len(place))
    path, mark, rest = place[:end], place[end : end + 1], place[end + 1 :]
    if mark == "@" and not is_digest(rest):
        raise UsageError(f"{rest!r} is not a digest", hint="a digest is sha256: and 64 hex digits")
    return (path, "", rest) if mark == "@" else (path, rest, "")


STORES: Mapping[str, Callable[[Stores, str, str], Opened]] = {
    "oci-layout": _layout,
    "oci-archive": _archive,
    "docker-archive": _archive,
    "docker-daemon": _daemon,
}
