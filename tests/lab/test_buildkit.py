"""The optional image of `docker-container` nodes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lab import buildkit
from lab.errors import LabError
from lab.home import Home
from lab.nodes import container_settings
from lab.parts import container_builder
from lab.process import run
from lab.setting import Lab


def test_without_go_it_is_said_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LabError, match="Go toolchain"):
        buildkit.compile_programs(tmp_path / "buildkit")
    assert not (tmp_path / "buildkit").exists()


def test_the_mirror_is_asked_by_plain_http() -> None:
    assert container_settings("localhost:5001") == (
        '[registry."docker.io"]\nmirrors = ["localhost:5001"]\n\n[registry."localhost:5001"]\nhttp = true\n'
    )


@pytest.mark.real
def test_a_container_node_pushes_both_platforms(tmp_path: Path) -> None:
    lab = Lab.load(Home.from_environment(os.environ))
    if not buildkit.has_image(lab):
        pytest.skip("the optional image is not made here: python3 -m lab buildkit-image (needs Go)")
    (tmp_path / "Dockerfile").write_text("FROM busybox:stable\nRUN uname -m > /machine\n")
    target = f"{lab.registry.host}/test/container-node:{os.getpid()}"
    words = ["docker", "buildx", "build", "--platform", "linux/amd64,linux/arm64", "--push", "--tag", target]
    with container_builder(f"container-{os.getpid()}", lab.registry.host, lab.environment) as chosen:
        run([*words, str(tmp_path)], environment=chosen.environment)
        listed = run(["docker", "buildx", "imagetools", "inspect", target], environment=chosen.environment)
    assert "linux/amd64" in listed
    assert "linux/arm64" in listed
    assert chosen.name not in run(["docker", "ps", "--all"], environment=lab.environment)
