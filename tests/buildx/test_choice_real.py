"""The node that real buildx takes, against the one that is foretold; and what mabuild takes instead."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from lab.parts import BuilderHandle, builder, remote_node
from orchestrator.buildx.builderfile import read_builder
from orchestrator.buildx.choice import Choosable, buildx_choice, mending_commands
from orchestrator.buildx.inspection import read_inspection
from orchestrator.core.plan import Mode, Node, NodePlatform
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from tests.buildx.parts import lab_environment

pytestmark = pytest.mark.real
_BOTH = (LINUX_AMD64, LINUX_ARM64)


@pytest.fixture
def pair() -> Iterator[BuilderHandle]:
    """A builder of two nodes, made as in docker's own example: without a word about platforms."""
    environment = lab_environment()
    with (
        remote_node(environment) as one,
        remote_node(environment) as two,
        builder("pair", {"one": one.endpoint, "two": two.endpoint}, environment) as made,
    ):
        yield made


def _run(environment: Mapping[str, str], *argv: str) -> str:
    return subprocess.run(argv, env=environment, check=True, capture_output=True, text=True).stdout


def _taken(made: BuilderHandle, folder: Path, platform: Platform) -> str:
    """The node that a plain build used; the name of a build is BUILDER/NODE/ID."""
    (folder / "Dockerfile").write_text(f"FROM scratch\nCOPY Dockerfile /{platform.slug}\n")
    metadata = folder / "metadata.json"
    options = ("--metadata-file", str(metadata), "--output", "type=cacheonly")
    _run(made.environment, "docker", "buildx", "build", "--platform", str(platform), *options, str(folder))
    return str(json.loads(metadata.read_text())["buildx.build.ref"]).split("/")[1]


def _foretold(made: BuilderHandle, platform: Platform) -> str:
    known = read_builder(made.environment, made.name)
    assert known is not None
    listed = {node.name: node.listed for node in read_inspection(_run(made.environment, "docker", "buildx", "inspect"))}
    seen = tuple(Choosable(node.name, node.platforms, listed[node.name]) for node in known.nodes)
    return buildx_choice(seen, (platform,))[platform]


def test_without_declared_platforms_everything_goes_to_the_first_node(pair: BuilderHandle, tmp_path: Path) -> None:
    for platform in _BOTH:
        assert _taken(pair, tmp_path, platform) == _foretold(pair, platform) == "one"


def test_the_mending_commands_make_buildx_take_the_native_node(pair: BuilderHandle, tmp_path: Path) -> None:
    native = {"one": LINUX_AMD64, "two": LINUX_ARM64}
    known = read_builder(pair.environment, "pair")
    assert known is not None
    nodes = tuple(
        Node(node.name, "pair", "remote", node.endpoint, platforms=(NodePlatform(native[node.name], Mode.NATIVE, ""),))
        for node in known.nodes
    )
    for command in mending_commands("pair", nodes):
        _run(pair.environment, *command.split())
    for name, platform in native.items():
        assert _taken(pair, tmp_path, platform) == _foretold(pair, platform) == name


def test_a_platform_that_nobody_lists_goes_to_the_first_node_without_a_word(
    pair: BuilderHandle, tmp_path: Path
) -> None:
    wanted = Platform("linux", "s390x")
    assert _taken(pair, tmp_path, wanted) == _foretold(pair, wanted) == "one"
