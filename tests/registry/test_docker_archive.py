"""The old form of `docker save`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from orchestrator.core.errors import MabuildError
from orchestrator.core.image import Manifest, sha256
from orchestrator.core.reference import Reference
from orchestrator.registry.archive import open_archive_file
from orchestrator.registry.layout import LayoutStore
from orchestrator.registry.media import parse
from tests.registry.images import make_image
from tests.registry.layouts import docker_files, write_tar

IMAGE = make_image()
PLACE = Reference("docker-archive", "x")


def opened(path: Path, files: dict[str, bytes], links: list[tuple[str, str]] | None = None) -> LayoutStore:
    return LayoutStore(open_archive_file(write_tar(path / "image.tar", files, links or [])))


def test_names(tmp_path: Path) -> None:
    store = opened(tmp_path, docker_files(IMAGE, "acme/api:1", "ghcr.io/acme/api:2"))
    assert {store.choose(name).digest for name in ("", "1", "acme/api:1", "2", "ghcr.io/acme/api:2")} == {
        store.choose("").digest
    }
    store.close()


def test_a_compressed_layer_has_a_digest_of_its_own(tmp_path: Path) -> None:
    layer = gzip.compress(IMAGE.layer)
    store = opened(tmp_path, docker_files(IMAGE, layer=layer))
    manifest = parse(store.choose(""))
    assert isinstance(manifest, Manifest)
    (found,) = manifest.layers
    assert (found.digest, found.media_type.endswith("+gzip")) == (sha256(layer), True)
    with store.blob(PLACE, found.digest) as stream:
        assert stream.read() == layer
    store.close()


def test_layers_that_are_links_to_others(tmp_path: Path) -> None:
    files = docker_files(IMAGE)
    del files["1/layer.tar"]
    store = opened(tmp_path, {**files, "2/layer.tar": IMAGE.layer}, [("1/layer.tar", "../2/layer.tar")])
    with store.blob(PLACE, sha256(IMAGE.layer)) as stream:
        assert stream.read() == IMAGE.layer
    store.close()


@pytest.mark.parametrize(
    "listing",
    [b"{", b"{}", b'[{"Config":5}]', b'[{"Config":"gone.json","Layers":[]}]', b"[" * 100_000],
)
def test_broken_lists(tmp_path: Path, listing: bytes) -> None:
    with pytest.raises(MabuildError):
        opened(tmp_path, {**docker_files(IMAGE), "manifest.json": listing})


def test_an_empty_list(tmp_path: Path) -> None:
    store = opened(tmp_path, {**docker_files(IMAGE), "manifest.json": b"[]"})
    with pytest.raises(MabuildError, match="does not hold exactly one image"):
        store.choose("")
    store.close()


def test_layers_that_are_missing_or_too_few(tmp_path: Path) -> None:
    files = docker_files(IMAGE)
    (entry,) = json.loads(files["manifest.json"])
    for layers in ([], ["1/layer.tar", "1/layer.tar"], ["gone"]):
        with pytest.raises(MabuildError):
            opened(tmp_path, {**files, "manifest.json": json.dumps([{**entry, "Layers": layers}]).encode()})
