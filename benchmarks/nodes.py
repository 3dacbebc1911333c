"""How long nodes take to be asked, and how many cells plain buildx emulates although a native node is there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.fleets import write_fleet
from lab.home import Home
from lab.parts import builder, remote_node
from lab.setting import Lab
from orchestrator.core.plan import BasePlatform, Mode, Node, NodePlatform
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.manifest.load import load
from orchestrator.planning.plan import Doors, Options, make_plan
from orchestrator.planning.published import Published
from orchestrator.planning.reading import DockerfileRecipes
from orchestrator.planning.select import Selection

_ROUNDS = 5
_SERVICES = 10
_MODES = {
    "one": {LINUX_AMD64: Mode.NATIVE, LINUX_ARM64: Mode.EMULATED},
    "two": {LINUX_ARM64: Mode.NATIVE},
}
"""An amd64 machine with qemu and an arm64 machine, in the order of docker's own example of a builder with two nodes."""


def main() -> None:
    """Print one line for each measurement."""
    environment = {**os.environ, **Lab.load(Home.from_environment(os.environ)).environment}
    with (
        tempfile.TemporaryDirectory() as folder,
        remote_node(environment) as one,
        remote_node(environment) as two,
        builder("pair", {"one": one.endpoint, "two": two.endpoint}, environment) as pair,
    ):
        cold, cached = _asked({**pair.environment, "MABUILD_CACHE": folder})
        print(f"mabuild nodes, 2 nodes x 2 platforms: {cold:.2f} s cold, {cached:.2f} s remembered")
        plain = _plain(pair.environment, Path(folder))
    planned = _planned()
    cells = 2 * _SERVICES
    print(f"cells emulated although a native node is there, of {cells}: {plain} plain buildx, {planned} mabuild")


def _asked(environment: Mapping[str, str]) -> tuple[float, float]:
    command = [sys.executable, "-m", "orchestrator", "nodes", "--platform", "linux/amd64,linux/arm64"]
    times = {"cold": 9e9, "cached": 9e9}
    for _ in range(_ROUNDS):
        for name, options in {"cold": ["--refresh"], "cached": []}.items():
            began = time.perf_counter()
            subprocess.run([*command, *options], env=environment, check=True, capture_output=True)
            times[name] = min(times[name], time.perf_counter() - began)
    return times["cold"], times["cached"]


def _plain(environment: Mapping[str, str], folder: Path) -> int:
    """Cells that real `docker buildx build --platform` sends to a node that emulates them."""
    metadata = folder / "metadata.json"
    emulated = 0
    for number in range(_SERVICES):
        for platform in (LINUX_AMD64, LINUX_ARM64):
            (folder / "Dockerfile").write_text(f"FROM scratch\nCOPY Dockerfile /{number}\n")
            options = ["--platform", str(platform), "--metadata-file", str(metadata), "--output", "type=cacheonly"]
            command = ["docker", "buildx", "build", *options, str(folder)]
            subprocess.run(command, env=environment, check=True, capture_output=True)
            node = json.loads(metadata.read_text())["buildx.build.ref"].split("/")[1]
            emulated += _MODES[node].get(platform) is Mode.EMULATED
    return emulated


def _planned() -> int:
    with tempfile.TemporaryDirectory() as folder:
        fleet = load((str(write_fleet(Path(folder), _SERVICES)),), environment=os.environ, directory=Path(folder))
        nodes = tuple(_node(name, modes) for name, modes in _MODES.items())
        both = tuple(BasePlatform(platform, "") for platform in (LINUX_AMD64, LINUX_ARM64))
        base = Published("", both, is_list=True)
        doors = Doors(lambda: nodes, lambda _: base, DockerfileRecipes(fleet))
        plan = make_plan(fleet, Selection(), doors, Options())
    return sum(cell.mode is Mode.EMULATED for cell in plan.cells)


def _node(name: str, modes: Mapping[Platform, Mode]) -> Node:
    platforms = tuple(NodePlatform(platform, mode, "") for platform, mode in modes.items())
    return Node(name, "pair", "remote", platforms=platforms)


if __name__ == "__main__":
    main()
