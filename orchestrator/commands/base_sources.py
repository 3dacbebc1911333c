"""The mirrors that a base image itself names, read from the head of its layers in the registry."""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from orchestrator.auditing.packages.repositories import apk_repositories, apt_sources
from orchestrator.core.errors import MabuildError
from orchestrator.core.image import Descriptor, Index, Manifest
from orchestrator.core.packages import Repository
from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference

if TYPE_CHECKING:
    from orchestrator.registry.store import Store

_LARGEST_FILE = 64 * 1024
_LARGEST_LAYER = 256 * 1024 * 1024
_MOST_MEMBERS = 20_000
_MOST_LAYERS = 4
_LISTS = re.compile(r"etc/apk/repositories|etc/apt/sources\.list|etc/apt/sources\.list\.d/[^/]+\.(?:list|sources)")
SourcesOf = Callable[[str, Platform], tuple[Repository, ...]]


@dataclass(frozen=True, slots=True)
class BaseSources:
    """Reads images once: what was found is kept in `folder` by the digest of the image."""

    store: Store
    folder: Path

    def of(self, image: str, platform: Platform) -> tuple[Repository, ...]:
        """The repositories that the image of a platform takes packages from; none where that cannot be told."""
        try:
            reference = Reference.parse(image).or_latest
            manifest = self._manifest(reference, platform)
            texts = self._texts(reference, manifest) if manifest is not None else []
        except MabuildError:
            return ()
        return tuple(one for text in texts for one in (*apt_sources(text), *apk_repositories(text)))

    def _manifest(self, reference: Reference, platform: Platform) -> Manifest | None:
        from orchestrator.registry.media import parse

        parsed = parse(self.store.manifest(reference))
        if isinstance(parsed, Index):
            fitting = [one for one in parsed.manifests if one.platform is not None and platform.accepts(one.platform)]
            parsed = parse(self.store.manifest(reference.with_digest(fitting[0].digest))) if fitting else parsed
        return parsed if isinstance(parsed, Manifest) else None

    def _texts(self, reference: Reference, manifest: Manifest) -> list[str]:
        path = self.folder / f"sources-{manifest.document.digest.partition(':')[2]}.json"
        with suppress(OSError, ValueError):
            return [str(text) for text in json.loads(path.read_text(encoding="utf-8"))]
        found: dict[str, str] = {}
        for layer in manifest.layers[:_MOST_LAYERS]:
            if layer.size <= _LARGEST_LAYER:
                found |= dict(self._lists(reference, layer))
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(list(found.values())), encoding="utf-8")
        return list(found.values())

    def _lists(self, reference: Reference, layer: Descriptor) -> Iterator[tuple[str, str]]:
        """The sources lists of a layer, read no further than its folder `etc` where they stand there."""
        try:
            with self.store.blob(reference, layer.digest) as stream:
                yield from _lists_of(cast("IO[bytes]", stream))
        except (tarfile.TarError, OSError, EOFError):
            return


def _lists_of(stream: IO[bytes]) -> Iterator[tuple[str, str]]:
    is_found = False
    with tarfile.open(fileobj=stream, mode="r|*") as archive:
        for number, member in enumerate(archive):
            name = member.name.removeprefix("./")
            if number > _MOST_MEMBERS or (is_found and not name.startswith("etc")):
                return
            content = archive.extractfile(member) if member.isfile() and _LISTS.fullmatch(name) else None
            if content is not None:
                is_found = True
                yield name, content.read(_LARGEST_FILE).decode("utf-8", "replace")
