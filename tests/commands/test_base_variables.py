"""The Python of an image whose name does not tell it, from its configuration in a real registry server."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

from orchestrator.commands.base_variables import variables_of_images
from orchestrator.core.fleet import RegistrySettings
from orchestrator.registry.client import RegistryClient
from tests.commands.calling import call, write
from tests.faults.package_index import PackageIndex
from tests.faults.registry_server import RegistryServer

INDEX, MANIFEST = "application/vnd.oci.image.index.v1+json", "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"


def pushed(server: RegistryServer, variables: list[str]) -> str:
    """An index with one image; gives its reference."""
    config = json.dumps({"os": "linux", "architecture": "amd64", "config": {"Env": variables}}).encode()
    server.blobs[digest(config)] = config
    image = json.dumps(
        {"schemaVersion": 2, "mediaType": MANIFEST, "config": descriptor(CONFIG, config), "layers": []}
    ).encode()
    entry = {**descriptor(MANIFEST, image), "platform": {"os": "linux", "architecture": "amd64"}}
    index = json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": [entry]}).encode()
    server.manifests["acme/base"] = {"1": (INDEX, index), digest(image): (MANIFEST, image)}
    return f"{server.address}/acme/base:1"


def digest(content: bytes) -> str:
    return f"sha256:{sha256(content).hexdigest()}"


def descriptor(media_type: str, content: bytes) -> dict[str, object]:
    return {"mediaType": media_type, "digest": digest(content), "size": len(content)}


def test_variables_are_asked_for_once() -> None:
    with RegistryServer() as server:
        image = pushed(server, ["PATH=/usr/bin", "PYTHON_VERSION=3.10.14"])
        variables_of = variables_of_images(RegistryClient((RegistrySettings(server.address, http=True),), {}))
        assert variables_of(image)["PYTHON_VERSION"] == "3.10.14"
        asked = len(server.seen)
        assert variables_of(image)["PATH"] == "/usr/bin"
        assert len(server.seen) == asked
        assert variables_of(f"{server.address}/acme/nothing:1") == {}
        assert variables_of("no reference: at all") == {}


def test_the_command_takes_python_from_the_registry(tmp_path: Path) -> None:
    with RegistryServer() as server, PackageIndex() as index:
        index.add("tool", "tool-1.0-cp310-cp310-manylinux2014_x86_64.whl")
        image = pushed(server, ["PYTHON_VERSION=3.10.14"])
        write(tmp_path, {"Dockerfile": f"FROM {image}\nRUN pip install --no-deps tool==1.0\n"})
        environment = {"MABUILD_CACHE": str(tmp_path / "cache"), "PIP_INDEX_URL": index.url}
        called = call(tmp_path, "packages", "Dockerfile", "--format", "json", environment=environment)
    document = json.loads(called.out)
    assert document["packages"][0]["platforms"]["linux/amd64"]["verdict"] == "built"
    (finding,) = document["findings"]
    assert (finding["rule"], finding["confidence"], finding["severity"]) == ("MA412", "low", "warning")
    assert "assumed: glibc 2.36" in finding["cause"]
