"""Extra parts run beside the lab's own, and leave nothing behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lab.home import Home
from lab.parts import builder, remote_node, second_engine, spare_registry
from lab.process import run
from lab.registries import free_port, is_free
from lab.setting import Lab

DOCKERFILE = "FROM busybox:stable\nRUN cat /proc/sys/kernel/arch > /kernel && uname -m > /machine\n"


@pytest.fixture(scope="module")
def lab() -> Lab:
    return Lab.load(Home.from_environment(os.environ))


@pytest.mark.real
def test_a_second_engine_builds_both_platforms_into_a_spare_registry(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text(DOCKERFILE)
    with (
        spare_registry(lab.environment) as registry,
        second_engine(mirror=lab.registry.host) as engine,
        remote_node(engine.environment) as node,
        builder("second", {"second0": node.endpoint}, lab.environment) as chosen,
    ):
        target = f"{registry.host}/test/both:1"
        platforms = "linux/amd64,linux/arm64"
        words = ["docker", "buildx", "build", "--platform", platforms, "--push", "--tag", target, str(tmp_path)]
        run(words, environment=chosen.environment)
        listed = run(["docker", "buildx", "imagetools", "inspect", target], environment=chosen.environment)
        assert "linux/amd64" in listed
        assert "linux/arm64" in listed
        bridge, folder = engine.bridge, engine.run
    assert not bridge.exists()
    assert not folder.exists()
    assert lab.engine.answers() or not lab.decisions.own_engine


@pytest.mark.real
def test_one_builder_of_two_nodes(lab: Lab) -> None:
    with (
        remote_node(lab.engine_environment) as node,
        builder("pair", {"one": lab.node.endpoint, "two": node.endpoint}, lab.environment) as pair,
    ):
        shown = run(["docker", "buildx", "inspect", "--bootstrap", "pair"], environment=pair.environment)
        assert shown.count("Status:           running") == 2


@pytest.mark.real
def test_a_spare_registry_is_empty_and_goes(lab: Lab) -> None:
    with spare_registry(lab.environment) as registry:
        assert registry.answers()
        assert not is_free(registry.port)
        assert registry.host != lab.registry.host
    assert not registry.answers(), "its port may be somebody else's by now"
    assert not registry.folder.exists()


def test_a_port_that_is_taken_is_not_given() -> None:
    port = free_port()
    assert free_port(port) == port
