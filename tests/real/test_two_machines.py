"""One fleet on several machines, of which the first and the last cannot build for the other platform."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import pytest

from tests.real.lab import mabuild, platforms, registry

pytestmark = pytest.mark.real
MANIFEST = """\
version: 1
registry: {registry}
defaults: {{tags: [latest]}}
nodes: [{{name: here, driver: docker, platforms: [{platforms}]}}]
services:
  base: {{image: base, context: base}}
  api: {{image: api, context: api, args: {{REGISTRY: "{registry}"}}}}
"""
DOCKERFILES = {
    "base": "FROM busybox:stable\nRUN echo base > /base\n",
    "api": "ARG REGISTRY\nFROM $REGISTRY/base\nRUN cat /base\n",
}
MACHINES = (("first", "linux/amd64", "linux/amd64"), ("second", "linux/arm64", "linux/amd64, linux/arm64"))


def machine(folder: Path, prefix: str, own: str) -> Path:
    folder.mkdir()
    (folder / "mabuild.yaml").write_text(MANIFEST.format(registry=prefix, platforms=own))
    for name, content in DOCKERFILES.items():
        (folder / name).mkdir()
        (folder / name / "Dockerfile").write_text(content)
    return folder


def test_cells_are_planned_alone_and_publishing_needs_no_node(tmp_path: Path) -> None:
    prefix = f"{registry()}/two-machines/{secrets.token_hex(6)}"
    records = tmp_path / "records"
    for name, platform, own in MACHINES:
        folder = machine(tmp_path / name, prefix, own)
        cells = [f"--cell={service}@{platform}" for service in DOCKERFILES]
        done = mabuild(folder, "build", "--push", *cells, "--records", str(records))
        assert done.code == 0, done.err
    last = machine(tmp_path / "last", prefix, "linux/riscv64")
    done = mabuild(
        last, "publish", "--records", str(records), "--format", "json", environment={"DOCKER_HOST": "unix:///no"}
    )
    assert done.code == 0, done.err
    assert {index["service"] for index in json.loads(done.out)["indexes"]} == set(DOCKERFILES)
    for service in DOCKERFILES:
        assert platforms(f"{prefix}/{service}:latest") == ["linux/amd64", "linux/arm64"]


def test_a_machine_that_cannot_build_a_cell_says_so(tmp_path: Path) -> None:
    folder = machine(tmp_path / "one", f"{registry()}/two-machines/{secrets.token_hex(6)}", "linux/amd64")
    assert mabuild(folder, "build", "--push", "--cell", "api@linux/arm64").code == 3
    assert mabuild(folder, "build", "--push", "--cell", "apy@linux/amd64").code == 2
