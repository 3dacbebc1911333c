"""Images of the docker engine."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
from pathlib import Path

import pytest

from orchestrator.core.errors import Exit
from orchestrator.core.platform import Platform
from orchestrator.registry.daemon import open_image, with_host
from orchestrator.registry.errors import NotFoundError, RegistryError
from orchestrator.registry.media import parse_config, parse_index, parse_manifest
from orchestrator.registry.stores import Opened, open_store
from tests.faults.docker_engine import DockerEngine
from tests.registry.images import make_image
from tests.registry.layouts import layout_files, tar_bytes

IMAGE = make_image()
HERE = Platform("linux", platform.machine())


def test_no_such_image(tmp_path: Path) -> None:
    with DockerEngine({}) as engine, pytest.raises(NotFoundError, match="the docker engine has no image api:1"):
        open_image("api:1", {"DOCKER_HOST": engine.address, "TMPDIR": str(tmp_path)})


def test_no_engine() -> None:
    with DockerEngine({}) as engine:
        address = engine.address
    with pytest.raises(RegistryError, match="the docker engine does not answer") as caught:
        open_image("api:1", {"DOCKER_HOST": address})
    assert caught.value.exit_code is Exit.UNREACHABLE


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    with DockerEngine({"api:1": tar_bytes(layout_files(IMAGE))}) as engine:
        content = open_image("api:1", {"DOCKER_HOST": engine.address, "TMPDIR": str(tmp_path)})
        assert content.index()
        assert list(tmp_path.iterdir()) == []
        content.close()


def test_the_current_context_names_the_engine(tmp_path: Path) -> None:
    meta = tmp_path / "contexts/meta" / hashlib.sha256(b"colima").hexdigest() / "meta.json"
    meta.parent.mkdir(parents=True)
    meta.write_text(json.dumps({"Name": "colima", "Endpoints": {"docker": {"Host": "unix:///colima.sock"}}}))
    environment = {"DOCKER_CONFIG": str(tmp_path)}
    assert "DOCKER_HOST" not in with_host(environment)
    assert with_host({**environment, "DOCKER_CONTEXT": "colima"})["DOCKER_HOST"] == "unix:///colima.sock"
    (tmp_path / "config.json").write_text('{"currentContext": "colima"}')
    assert with_host(environment)["DOCKER_HOST"] == "unix:///colima.sock"
    assert with_host({**environment, "DOCKER_HOST": "tcp://x"})["DOCKER_HOST"] == "tcp://x"
    assert "DOCKER_HOST" not in with_host({**environment, "DOCKER_CONTEXT": "default"})
    for broken in ("[]", "{", '{"Endpoints": 5}', '{"Endpoints": {"docker": {"Host": 5}}}'):
        meta.write_text(broken)
        assert "DOCKER_HOST" not in with_host(environment)


@pytest.mark.real
def test_an_image_that_the_engine_pulled() -> None:
    subprocess.run(["docker", "pull", "--quiet", "busybox:stable"], check=True, timeout=120)
    inspected = subprocess.run(["docker", "image", "inspect", "busybox:stable"], check=True, capture_output=True)
    with open_store("docker-daemon:busybox:stable", settings=(), environment=dict(os.environ)) as opened:
        root = opened.store.manifest(opened.reference)
        assert root.digest in inspected.stdout.decode()
        platforms = [platform_of(opened, entry.digest) for entry in parse_index(root).manifests]
    assert HERE in platforms


def platform_of(opened: Opened, digest: str) -> Platform | None:
    """The platform of an entry, None where the engine has the list and not this image."""
    try:
        manifest = parse_manifest(opened.store.manifest(opened.reference.with_digest(digest)))
        with opened.store.blob(opened.reference, manifest.config.digest) as stream:
            return parse_config(stream.read()).platform
    except NotFoundError:
        return None
