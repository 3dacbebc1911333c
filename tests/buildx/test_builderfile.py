"""Builders as buildx keeps them: files written by buildx 0.29.1."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orchestrator.buildx.builderfile import (
    BuilderNode,
    builder_names,
    copy_node,
    current_context,
    read_builder,
    selected_builder,
)
from orchestrator.core.errors import UnreachableError
from orchestrator.core.platform import LINUX_ARM64

_TWO = {
    "Name": "two",
    "Driver": "remote",
    "Nodes": [
        {
            "Name": "two0",
            "Endpoint": "unix:///run/a.sock",
            "Platforms": None,
            "DriverOpts": None,
            "Flags": None,
            "Files": None,
        },
        {
            "Name": "arm",
            "Endpoint": "tcp://10.0.0.7:1234",
            "Platforms": [{"architecture": "arm64", "os": "linux"}],
            "DriverOpts": {"cacert": "/ca.pem"},
            "Flags": ["--debug"],
            "Files": None,
        },
    ],
    "Dynamic": False,
}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A home with one builder."""
    folder = tmp_path / ".docker" / "buildx" / "instances"
    folder.mkdir(parents=True)
    (folder / "two").write_text(json.dumps(_TWO))
    return {"HOME": str(tmp_path)}


def _use(environment: dict[str, str], **content: object) -> None:
    folder = Path(environment["HOME"]) / ".docker" / "buildx"
    (folder / "current").write_text(json.dumps(content))


def test_a_builder_is_read_with_its_nodes_in_order(environment: dict[str, str]) -> None:
    builder = read_builder(environment, "Two")
    assert builder is not None
    assert builder.nodes == (
        BuilderNode("two0", "unix:///run/a.sock"),
        BuilderNode("arm", "tcp://10.0.0.7:1234", (LINUX_ARM64,), (("cacert", "/ca.pem"),)),
    )
    assert builder_names(environment) == ("two",)


def test_without_any_choice_the_engine_is_the_builder(environment: dict[str, str]) -> None:
    assert selected_builder(environment).driver == "docker"
    assert selected_builder(environment).name == "default"


def test_a_builder_that_was_chosen_for_this_engine_is_used(environment: dict[str, str]) -> None:
    _use(environment, Key="unix:///var/run/docker.sock", Name="two", Global=False)
    assert selected_builder(environment).name == "two"
    assert selected_builder({**environment, "DOCKER_HOST": "tcp://other:2375"}).name == "default"


def test_a_builder_that_was_chosen_for_all_engines_is_used(environment: dict[str, str]) -> None:
    _use(environment, Key="else", Name="two", Global=True)
    assert selected_builder(environment).name == "two"


def test_a_builder_that_is_an_engines_default_is_used(environment: dict[str, str]) -> None:
    folder = Path(environment["HOME"]) / ".docker" / "buildx" / "defaults"
    folder.mkdir()
    (folder / "13c4025c96f36e94b348").write_text("two")
    assert selected_builder(environment).name == "two"


def test_the_environment_and_the_option_go_before(environment: dict[str, str]) -> None:
    assert selected_builder({**environment, "BUILDX_BUILDER": "two"}).name == "two"
    assert selected_builder({**environment, "BUILDX_BUILDER": "none"}, "two").name == "two"


def test_a_builder_that_is_not_there_is_told_with_those_that_are(environment: dict[str, str]) -> None:
    with pytest.raises(UnreachableError) as caught:
        selected_builder(environment, "tow")
    assert caught.value.hint == "there are: default, two"


def test_contexts_are_builders(environment: dict[str, str]) -> None:
    folder = Path(environment["HOME"]) / ".docker" / "contexts" / "meta" / "abc"
    folder.mkdir(parents=True)
    (folder / "meta.json").write_text(json.dumps({"Name": "far"}))
    assert selected_builder(environment, "far").driver == "docker"
    (Path(environment["HOME"]) / ".docker" / "config.json").write_text(json.dumps({"currentContext": "far"}))
    assert current_context(environment) == "far"
    assert selected_builder(environment).name == "far"
    assert current_context({**environment, "DOCKER_HOST": "tcp://x:1"}) == "default"


def test_a_node_is_copied_with_everything_that_buildx_keeps_of_it(environment: dict[str, str]) -> None:
    folder = Path(environment["HOME"]) / ".docker" / "buildx" / "instances"
    content = json.loads(json.dumps(_TWO))
    content["Nodes"][1]["Files"] = {"buildkitd.toml": "ZGVidWcgPSB0cnVl"}
    (folder / "two").write_text(json.dumps(content))
    copy_node(environment, "two", "arm", "mabuild-arm")
    made = json.loads((folder / "mabuild-arm").read_text())
    assert made == {"Name": "mabuild-arm", "Driver": "remote", "Nodes": [content["Nodes"][1]], "Dynamic": False}
    before = (folder / "mabuild-arm").stat()
    assert before.st_mode & 0o077 == 0
    copy_node(environment, "two", "arm", "mabuild-arm")
    assert (folder / "mabuild-arm").stat().st_ino == before.st_ino
    content["Nodes"][1]["Endpoint"] = "tcp://10.0.0.8:1234"
    (folder / "two").write_text(json.dumps(content))
    copy_node(environment, "two", "arm", "mabuild-arm")
    assert json.loads((folder / "mabuild-arm").read_text())["Nodes"][0]["Endpoint"] == "tcp://10.0.0.8:1234"
    assert sorted(path.name for path in folder.iterdir()) == ["mabuild-arm", "two"]


@pytest.mark.parametrize(("builder", "node"), [("two", "gone"), ("none", "arm")])
def test_a_node_that_is_not_there_any_more_is_told(environment: dict[str, str], builder: str, node: str) -> None:
    with pytest.raises(UnreachableError, match=f"builder {builder} has no node {node} any more"):
        copy_node(environment, builder, node, "mabuild-x")


@pytest.mark.parametrize("content", ["", "[", "[]", "{}", '{"Nodes": 3}', "[" * 100_000])
def test_a_broken_file_is_no_traceback(environment: dict[str, str], content: str) -> None:
    path = Path(environment["HOME"]) / ".docker" / "buildx" / "instances" / "bad"
    path.write_text(content)
    builder = read_builder(environment, "bad")
    assert builder is None or builder.nodes == ()
