"""Writes images as other tools do: layouts, archives, and both forms of `docker save`."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from orchestrator.core.image import OCI_INDEX, sha256
from orchestrator.registry.layout import IMAGE_NAME, REFERENCE_NAME
from tests.registry.images import Image, pretty


def layout_files(image: Image, *names: Mapping[str, str]) -> dict[str, bytes]:
    """The files of a layout of an image; one entry for each set of annotations."""
    entry = {"mediaType": OCI_INDEX, "digest": image.digest, "size": len(image.index)}
    entries = [{**entry, "annotations": annotations} for annotations in names] or [entry]
    contents = [image.index, *image.manifests, *image.blobs.values()]
    return {
        "oci-layout": b'{"imageLayoutVersion": "1.0.0"}',
        "index.json": pretty({"schemaVersion": 2, "manifests": entries}),
        **{f"blobs/{sha256(content).replace(':', '/')}": content for content in contents},
    }


def named(tag: str, name: str = "") -> dict[str, str]:
    return {REFERENCE_NAME: tag, **({IMAGE_NAME: name} if name else {})}


def write_files(directory: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return directory


def write_tar(path: Path, files: Mapping[str, bytes], links: Iterable[tuple[str, str]] = (), prefix: str = "") -> Path:
    path.write_bytes(tar_bytes(files, links, prefix))
    return path


def tar_bytes(files: Mapping[str, bytes], links: Iterable[tuple[str, str]] = (), prefix: str = "") -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(prefix + name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for name, to in links:
            info = tarfile.TarInfo(prefix + name)
            info.type = tarfile.SYMTYPE
            info.linkname = to
            archive.addfile(info)
    return target.getvalue()


def docker_files(image: Image, *tags: str, layer: bytes = b"") -> dict[str, bytes]:
    """The old form of `docker save`, for the first platform of an image."""
    config = image.configs[0]
    name = f"{sha256(config).partition(':')[2]}.json"
    entry = {"Config": name, "RepoTags": list(tags) or None, "Layers": ["1/layer.tar"]}
    return {name: config, "1/layer.tar": layer or image.layer, "manifest.json": json.dumps([entry]).encode()}
