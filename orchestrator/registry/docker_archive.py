"""The old form of `docker save`: a configuration and layers without a manifest, which is made here from them."""

from __future__ import annotations

import hashlib
import json
from contextlib import AbstractContextManager
from typing import BinaryIO

from orchestrator.core.image import OCI_CONFIG, OCI_INDEX, OCI_MANIFEST, Descriptor, sha256
from orchestrator.registry.archive import TarFile
from orchestrator.registry.errors import MalformedError, NotFoundError
from orchestrator.registry.layout import IMAGE_NAME
from orchestrator.registry.media import descriptor_text, parse_config
from orchestrator.registry.wire import LIMITS

LIST_FILE = "manifest.json"
_LAYER = "application/vnd.oci.image.layer.v1.tar"
_GZIP = b"\x1f\x8b"
_PIECE = 1024 * 1024


class DockerArchive:
    """A docker archive seen as a layout.

    Its manifests are made here, so their digests say nothing about a registry; those of layers and configurations do.
    """

    def __init__(self, tar: TarFile) -> None:
        self._tar = tar
        self.name = tar.name
        self._paths: dict[str, str] = {}
        self._documents: dict[str, bytes] = {}
        entries = [text for image in _images(tar) for text in self._entries(image)]
        self._index = f'{{"schemaVersion":2,"mediaType":"{OCI_INDEX}","manifests":[{",".join(entries)}]}}'.encode()

    def index(self) -> bytes:
        """The bytes of an index of the images."""
        return self._index

    def size(self, digest: str) -> int:
        """The size of a blob."""
        if digest in self._documents:
            return len(self._documents[digest])
        return self._tar.size(self._path(digest))

    def open(self, digest: str) -> AbstractContextManager[BinaryIO]:
        """A blob's bytes."""
        if digest in self._documents:
            from io import BytesIO

            return BytesIO(self._documents[digest])
        return self._tar.open(self._path(digest))

    def close(self) -> None:
        """Close the file."""
        self._tar.close()

    def _path(self, digest: str) -> str:
        if digest not in self._paths:
            raise NotFoundError(f"{self.name} has no {digest}")
        return self._paths[digest]

    def _entries(self, image: dict[str, object]) -> list[str]:
        config = self._tar.read(_text(image, "Config"), LIMITS.config)
        self._documents[sha256(config)] = config
        diff_ids = parse_config(config).diff_ids
        paths = _texts(image, "Layers")
        if len(paths) != len(diff_ids):
            raise MalformedError(f"{self.name} has {len(paths)} layers, and its configuration names {len(diff_ids)}")
        layers = [self._layer(path, diff_id) for path, diff_id in zip(paths, diff_ids, strict=True)]
        texts = ",".join(descriptor_text(layer) for layer in layers)
        head = descriptor_text(Descriptor(OCI_CONFIG, sha256(config), len(config)))
        content = f'{{"schemaVersion":2,"mediaType":"{OCI_MANIFEST}","config":{head},"layers":[{texts}]}}'.encode()
        self._documents[sha256(content)] = content
        names = _texts(image, "RepoTags") or [""]
        notes = [((IMAGE_NAME, name),) if name else () for name in names]
        return [descriptor_text(Descriptor(OCI_MANIFEST, sha256(content), len(content), None, note)) for note in notes]

    def _layer(self, path: str, diff_id: str) -> Descriptor:
        """A layer; its diff id is its digest unless some other tool wrote it compressed."""
        with self._tar.open(path) as stream:
            is_compressed = stream.read(2) == _GZIP
        digest = self._measure(path) if is_compressed else diff_id
        self._paths[digest] = path
        return Descriptor(f"{_LAYER}+gzip" if is_compressed else _LAYER, digest, self._tar.size(path))

    def _measure(self, path: str) -> str:
        hasher = hashlib.sha256()
        with self._tar.open(path) as stream:
            while piece := stream.read(_PIECE):
                hasher.update(piece)
        return f"sha256:{hasher.hexdigest()}"


def _images(tar: TarFile) -> list[dict[str, object]]:
    try:
        found = json.loads(tar.read(LIST_FILE, LIMITS.manifest))
    except (ValueError, RecursionError) as error:
        raise MalformedError(f"{LIST_FILE} in {tar.name} is not JSON") from error
    if not isinstance(found, list):
        raise MalformedError(f"{LIST_FILE} in {tar.name} is not a list")
    return [image for image in found if isinstance(image, dict)]


def _text(image: dict[str, object], key: str) -> str:
    value = image.get(key)
    return value if isinstance(value, str) else ""


def _texts(image: dict[str, object], key: str) -> list[str]:
    value = image.get(key)
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else []
