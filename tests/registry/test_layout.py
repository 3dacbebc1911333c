"""Layouts as other tools write them, well or badly."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from orchestrator.core.errors import MabuildError, UsageError
from orchestrator.core.image import OCI_INDEX, OCI_MANIFEST, Document, sha256
from orchestrator.core.reference import Reference
from orchestrator.registry.errors import DigestError, MalformedError, NotFoundError, TooLargeError
from orchestrator.registry.layout import DirectoryContent, LayoutStore
from orchestrator.registry.media import parse_index
from orchestrator.registry.wire import LIMITS
from tests.registry.images import make_image, pretty
from tests.registry.layouts import layout_files, named, write_files

IMAGE = make_image()
PLACE = Reference("oci-layout", "image")


def store(directory: Path, files: dict[str, bytes]) -> LayoutStore:
    return LayoutStore(DirectoryContent(write_files(directory, files)))


def blob(content: bytes) -> str:
    return f"blobs/{sha256(content).replace(':', '/')}"


def test_two_images_need_a_name(tmp_path: Path) -> None:
    other = make_image(b"other")
    files = layout_files(other) | layout_files(IMAGE)
    entries = [
        {"mediaType": OCI_INDEX, "digest": image.digest, "size": len(image.index), "annotations": named(tag)}
        for image, tag in ((IMAGE, "1"), (other, "2"))
    ]
    found = store(tmp_path, {**files, "index.json": pretty({"schemaVersion": 2, "manifests": entries})})
    assert found.choose("1").digest == IMAGE.digest
    assert found.choose("2").digest == other.digest
    with pytest.raises(UsageError, match="does not hold exactly one image") as caught:
        found.choose("")
    assert caught.value.hint == "it has 1, 2; name one after a colon, or a digest after @"


def test_an_outer_index_of_platforms_is_the_image(tmp_path: Path) -> None:
    files = {**layout_files(IMAGE), "index.json": IMAGE.index}
    found = store(tmp_path, files)
    assert found.choose("") == Document(OCI_INDEX, IMAGE.index, IMAGE.digest)
    assert found.manifest(PLACE.with_digest(IMAGE.digest)).content == IMAGE.index


def test_an_empty_layout(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        store(tmp_path, {"index.json": b'{"schemaVersion":2,"manifests":[]}'}).choose("")
    assert caught.value.hint == "it is empty"


def test_a_single_image(tmp_path: Path) -> None:
    manifest = IMAGE.manifests[0]
    entry = {"mediaType": OCI_MANIFEST, "digest": sha256(manifest), "size": len(manifest)}
    found = store(tmp_path, {**layout_files(IMAGE), "index.json": pretty({"manifests": [entry]})})
    assert found.choose("").media_type == OCI_MANIFEST


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"manifests":{}}', b"[" * 100_000])
def test_a_broken_index(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(MalformedError):
        store(tmp_path, {"index.json": content})


def test_an_index_that_is_too_large(tmp_path: Path) -> None:
    with pytest.raises(TooLargeError):
        store(tmp_path, {"index.json": b" " * (LIMITS.manifest + 1)})


def test_no_layout(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not an OCI layout"):
        store(tmp_path, {"Dockerfile": b""})


def test_a_manifest_that_was_changed(tmp_path: Path) -> None:
    files = {**layout_files(IMAGE), blob(IMAGE.index): b"{}"}
    with pytest.raises(DigestError):
        store(tmp_path, files).choose("")


def test_a_manifest_that_is_gone_or_too_large(tmp_path: Path) -> None:
    files = layout_files(IMAGE)
    del files[blob(IMAGE.index)]
    with pytest.raises(NotFoundError):
        store(tmp_path, files).choose("")
    with pytest.raises(TooLargeError):
        store(tmp_path, {**files, blob(IMAGE.index): b" " * (LIMITS.manifest + 1)}).choose("")


@pytest.mark.parametrize("kind", ["folder", "pipe", "broken link"])
def test_blobs_that_are_no_files(tmp_path: Path, kind: str) -> None:
    files = layout_files(IMAGE)
    del files[blob(IMAGE.layer)]
    found = store(tmp_path, files)
    path = tmp_path / blob(IMAGE.layer)
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case _:
            path.symlink_to("/nonexistent")
    with pytest.raises(NotFoundError):
        found.blob(PLACE, sha256(IMAGE.layer))
    with pytest.raises(NotFoundError):
        found.blob_size(PLACE, sha256(IMAGE.layer))


def test_digests_are_no_paths(tmp_path: Path) -> None:
    found = store(tmp_path, layout_files(IMAGE))
    for digest in ("sha256:../../index.json", "../x:" + "0" * 64, f"sha256:{'/' * 64}"):
        with pytest.raises(NotFoundError):
            found.blob(PLACE, digest)


def test_a_nested_entry_keeps_its_text(tmp_path: Path) -> None:
    found = store(tmp_path, layout_files(IMAGE))
    entries = parse_index(found.choose("")).manifests
    assert all(entry.raw in IMAGE.index.decode() for entry in entries)


def test_an_index_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "index.json").mkdir()
    with pytest.raises(MabuildError):
        LayoutStore(DirectoryContent(tmp_path))
