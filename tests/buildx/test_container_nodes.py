"""Nodes of the docker-container driver, where the lab's registry has an image with buildkitd."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from orchestrator.buildx.builderfile import builder_names
from orchestrator.buildx.builders import own_builders, remove_builders
from orchestrator.buildx.nodes import Asking, find_nodes, survey
from orchestrator.core.fleet import NodeSpec
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from tests.buildx.parts import lab_environment

pytestmark = pytest.mark.real
_BOTH = (LINUX_AMD64, LINUX_ARM64)


def _has_image(registry: str) -> bool:
    try:
        with urlopen(f"http://{registry}/v2/moby/buildkit/tags/list", timeout=5) as answer:
            return "buildx-stable-1" in json.load(answer)["tags"]
    except URLError:
        return False


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The lab with builders of its own, which are removed with their containers."""
    found = lab_environment(BUILDX_CONFIG=str(tmp_path / "buildx"))
    if not _has_image(found["MABUILD_LAB_REGISTRY"]):
        pytest.skip("needs moby/buildkit:buildx-stable-1 in the lab's registry, which Debian's packages cannot make")
    yield found
    remove_builders(own_builders(found), found)
    subprocess.run(["docker", "buildx", "rm", "--force", "two"], env=found, check=False, capture_output=True)


def _containers(environment: dict[str, str]) -> set[str]:
    argv = ["docker", "ps", "--all", "--format", "{{.Names}}"]
    return set(subprocess.run(argv, env=environment, check=True, capture_output=True, text=True).stdout.split())


def test_a_container_node_is_started_judged_and_removed(environment: dict[str, str], tmp_path: Path) -> None:
    spec = NodeSpec("box", "docker-container", driver_options=(("network", "host"),))
    asking = Asking(environment, tmp_path, _BOTH)
    (node,) = find_nodes((spec,), asking)
    assert (node.status, node.builder) == ("running", "mabuild-box")
    assert {entry.platform for entry in node.platforms} >= set(_BOTH)
    assert "buildx_buildkit_mabuild-box" in _containers(environment)
    assert find_nodes((spec,), asking) == (node,)
    remove_builders(own_builders(environment), environment)
    assert "buildx_buildkit_mabuild-box" not in _containers(environment)


def test_the_containers_of_a_builder_of_several_are_shared_and_left_alone(
    environment: dict[str, str], tmp_path: Path
) -> None:
    engine = environment.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    twice = engine.replace("unix:///", "unix:///./")
    for more in (["create", "--name", "two"], ["create", "--append", "--name", "two", twice]):
        subprocess.run(["docker", "buildx", *more, "--driver", "docker-container"], env=environment, check=True)
    found = survey((), Asking(environment, tmp_path, _BOTH, builder="two"))
    assert [(node.name, node.status) for node in found.nodes] == [("two0", "running"), ("two1", "running")]
    shared = {"buildx_buildkit_two0", "buildx_buildkit_two1"}
    assert shared <= _containers(environment)
    remove_builders(own_builders(environment), environment)
    assert shared <= _containers(environment)
    assert builder_names(environment) == ("two",)
