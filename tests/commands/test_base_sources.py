"""The mirrors that a base image names, from its layers in a real registry server, and packages looked up there."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from hashlib import sha256
from pathlib import Path

import pytest

from orchestrator.commands.base_sources import BaseSources
from orchestrator.core.fleet import RegistrySettings
from orchestrator.core.packages import Ecosystem, Repository
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from orchestrator.registry.client import RegistryClient
from tests.commands.calling import call, write
from tests.faults.package_index import PackageIndex, alpine_list
from tests.faults.registry_server import RegistryServer

INDEX, MANIFEST = "application/vnd.oci.image.index.v1+json", "application/vnd.oci.image.manifest.v1+json"
CONFIG, LAYER = "application/vnd.oci.image.config.v1+json", "application/vnd.oci.image.layer.v1.tar+gzip"


def layer(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return gzip.compress(out.getvalue())


def pushed(server: RegistryServer, content: bytes, name: str = "acme/alpine") -> str:
    """An index of two platforms with one layer; gives its reference."""
    entries, manifests = [], {}
    for architecture in ("amd64", "arm64"):
        config = json.dumps({"os": "linux", "architecture": architecture}).encode()
        parts = {"config": descriptor(CONFIG, config), "layers": [descriptor(LAYER, content)]}
        image = json.dumps({"schemaVersion": 2, "mediaType": MANIFEST, **parts}).encode()
        server.blobs |= {digest(config): config, digest(content): content}
        manifests[digest(image)] = (MANIFEST, image)
        entries.append({**descriptor(MANIFEST, image), "platform": {"os": "linux", "architecture": architecture}})
    index = json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries}).encode()
    server.manifests[name] = {"3.20": (INDEX, index), **manifests}
    return f"{server.address}/{name}:3.20"


def digest(content: bytes) -> str:
    return f"sha256:{sha256(content).hexdigest()}"


def descriptor(media_type: str, content: bytes) -> dict[str, object]:
    return {"mediaType": media_type, "digest": digest(content), "size": len(content)}


def sources(server: RegistryServer, folder: Path) -> BaseSources:
    return BaseSources(RegistryClient((RegistrySettings(server.address, http=True),), {}), folder)


def test_lists_of_apt_and_apk_are_read_once(tmp_path: Path) -> None:
    files = {
        "bin/sh": "x",
        "./etc/apt/sources.list.d/debian.sources": "Types: deb\nURIs: http://a.example/debian\n"
        "Suites: sid\nComponents: main\n",
        "etc/apt/sources.list": "deb http://b.example/ubuntu noble universe\n"
        "deb-src http://b.example/ubuntu noble main\n"
        "deb [arch=arm64]\thttp://c.example/ubuntu noble-updates main\n",
        "usr/etc/apt/sources.list": "deb http://no.example/x y main\n",
    }
    with RegistryServer() as server:
        image = pushed(server, layer(files))
        found = sources(server, tmp_path).of(image, LINUX_ARM64)
        assert set(found) == {
            Repository(Ecosystem.DEBIAN, "http://a.example/debian", "sid", "main"),
            Repository(Ecosystem.DEBIAN, "http://b.example/ubuntu", "noble", "universe"),
            Repository(Ecosystem.DEBIAN, "http://c.example/ubuntu", "noble-updates", "main"),
        }
        blobs = [one for one in server.seen if "/blobs/" in one.path]
        assert sources(server, tmp_path).of(image, LINUX_ARM64) == found
        assert [one for one in server.seen if "/blobs/" in one.path] == blobs


@pytest.mark.parametrize(
    "content",
    [b"no archive", gzip.compress(b"\0" * 2000), layer({"etc/passwd": "x"})],
    ids=["no archive", "zeros", "another file"],  # gzip writes the time, and workers have to agree on names
)
def test_images_that_name_none(tmp_path: Path, content: bytes) -> None:
    with RegistryServer() as server:
        assert sources(server, tmp_path).of(pushed(server, content), LINUX_AMD64) == ()
        assert sources(server, tmp_path).of(f"{server.address}/acme/nothing:1", LINUX_AMD64) == ()


def test_the_command_asks_the_mirror_of_the_image(tmp_path: Path) -> None:
    with RegistryServer() as server, PackageIndex() as index:
        for architecture, names in (("x86_64", ("git", "msr-tools")), ("aarch64", ("git",))):
            stanzas = [{"P": name, "V": "1"} for name in names]
            index.static[f"/alpine/v3.20/main/{architecture}/APKINDEX.tar.gz"] = alpine_list(*stanzas)
        image = pushed(server, layer({"etc/apk/repositories": f"{index.root}/alpine/v3.20/main\n"}))
        write(tmp_path, {"Dockerfile": f"FROM {image}\nRUN apk add --no-cache git msr-tools\n"})
        called = call(
            tmp_path, "packages", "Dockerfile", "--format", "json", environment={"MABUILD_CACHE": str(tmp_path / "c")}
        )
    document = json.loads(called.out)
    assert [(one["rule"], one["line"]) for one in document["findings"]] == [("MA413", 2)]
    assert document["not_checked"] == []
    assert called.code == 1
