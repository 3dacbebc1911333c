"""Layers and manifests as the lab makes them."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tarfile
from pathlib import Path

import pytest

from lab.images import INDEX, Layer, Repository, config_of, pack, platform_of
from lab.parts import spare_registry


def folder(path: Path) -> Path:
    (path / "bin").mkdir(parents=True)
    (path / "bin/tool").write_text("tool")
    (path / "bin/link").symlink_to("tool")
    (path / "dev").mkdir()
    (path / "dev/null").write_text("")
    return path


def test_a_layer_holds_the_folder_and_tells_both_digests(tmp_path: Path) -> None:
    layer = pack(folder(tmp_path / "root"), tmp_path / "layer.tar.gz", leave_out=("./dev/*",))
    packed = layer.file.read_bytes()
    plain = gzip.decompress(packed)
    assert layer.digest == f"sha256:{hashlib.sha256(packed).hexdigest()}"
    assert layer.plain == f"sha256:{hashlib.sha256(plain).hexdigest()}"
    assert layer.size == len(packed)
    with tarfile.open(fileobj=io.BytesIO(plain)) as tar:
        assert sorted(tar.getnames()) == [".", "./bin", "./bin/link", "./bin/tool", "./dev"]
    assert Layer.load(layer.file) == layer


def test_the_same_content_gives_the_same_layer(tmp_path: Path) -> None:
    first = pack(folder(tmp_path / "one"), tmp_path / "one.tar.gz")
    os.utime(folder(tmp_path / "two") / "bin/tool", (1, 1))
    assert pack(tmp_path / "two", tmp_path / "two.tar.gz").digest == first.digest


def test_a_config_names_its_platform(tmp_path: Path) -> None:
    layer = Layer(tmp_path, "sha256:a", "sha256:b", 1)
    config = json.loads(config_of("arm64", layer, ["sh"]))
    assert {key: config[key] for key in ("os", "architecture", "variant")} == platform_of("arm64")
    assert config["rootfs"]["diff_ids"] == ["sha256:b"]
    assert "variant" not in json.loads(config_of("amd64", layer, ["sh"]))


@pytest.mark.real
def test_a_list_is_pushed_and_found(tmp_path: Path) -> None:
    layer = pack(folder(tmp_path / "root"), tmp_path / "layer.tar.gz")
    with spare_registry(os.environ) as registry:
        repository = Repository(registry.host, "test/image")
        assert not repository.has("1")
        image = repository.push_image("arm64", layer, ["sh"])
        assert repository.push_index([image], "1")["mediaType"] == INDEX
        assert repository.has("1")
        assert repository.has(image["digest"])
