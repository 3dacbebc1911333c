"""`mabuild import`: compose and bake files through the command; their readers have tests of their own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from orchestrator.buildx.compose import relative_paths
from tests.commands.calling import call, write

COMPOSE = """\
services:
  api:
    image: ghcr.io/acme/api:${TAG:-1}
    build: {context: api, network: host}
  db: {image: postgres}
"""
BAKE = """\
variable "TAG" {
  default = "dev"
}
group "default" {
  targets = ["app"]
}
target "_common" {
  platforms = ["linux/amd64", "linux/arm64"]
  labels = { team = "shop" }
}
target "base" {
  inherits = ["_common"]
  context = "base"
  tags = ["ghcr.io/acme/base:${TAG}"]
}
target "app" {
  matrix = { variant = ["slim", "full"] }
  name = "app-${variant}"
  inherits = ["_common"]
  context = "app"
  contexts = { base = "target:base" }
  dockerfile = "${variant}.Dockerfile"
  args = { VARIANT = variant }
  secret = ["id=token,env=TOKEN"]
  tags = ["ghcr.io/acme/app-${variant}:${TAG}", "ghcr.io/acme/app-${variant}:latest"]
}
"""


def test_compose(tmp_path: Path) -> None:
    write(tmp_path, {"compose.yaml": COMPOSE, "api/Dockerfile": "FROM scratch\n"})
    done = call(tmp_path, "import", "compose.yaml")
    assert done.code == 0
    assert "warning: api: `network` is left out" in done.err
    assert "left out: db" in done.err
    assert call(tmp_path, "plan", "--offline").code == 0
    assert call(tmp_path, "import", "compose.yaml").code == 2, "what is there is not overwritten"
    assert call(tmp_path, "import", "compose.yaml", "--force").code == 0


def test_paths_are_relative_to_the_manifest(tmp_path: Path) -> None:
    write(tmp_path, {"compose.yaml": COMPOSE, "api/Dockerfile": "FROM scratch\n"})
    assert call(tmp_path, "import", "compose.yaml", "-o", "manifests/shop.yaml").code == 0
    assert "context: ../api" in (tmp_path / "manifests/shop.yaml").read_text()
    assert call(tmp_path, "plan", "--offline").code == 0


@pytest.mark.parametrize(("name", "content"), [("compose.yaml", "[]"), ("compose.json", "{}"), ("gone.yaml", None)])
def test_what_is_no_such_file_is_a_wrong_call(tmp_path: Path, name: str, content: str | None) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    done = call(tmp_path, "import", name)
    assert done.code == 2
    assert done.err.startswith("error: ")


def test_what_compose_puts_together_gets_its_paths_back() -> None:
    text = "a:\n  context: /srv/shop/api\n  b: /srv/shop\n  c: '/srv/shop/x'\n  d: /srv/shopping\n  e: /srv/shop2/x\n"
    expected = "a:\n  context: ./api\n  b: .\n  c: './x'\n  d: /srv/shopping\n  e: /srv/shop2/x\n"
    assert relative_paths(text, Path("/srv/shop")) == expected


def bake_print(folder: Path, file: str) -> Any:
    command = ["docker", "buildx", "bake", "--progress=quiet", "-f", file, "--print", "base", "app-slim", "app-full"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["target"]


@pytest.mark.real
def test_a_bake_file_comes_back_as_the_same_targets(tmp_path: Path) -> None:
    dockerfiles = {"base/Dockerfile": "FROM scratch\n"}
    dockerfiles |= {f"app/{name}.Dockerfile": "FROM base\nARG VARIANT\n" for name in ("slim", "full")}
    write(tmp_path, {"docker-bake.hcl": BAKE, **dockerfiles})
    done = call(tmp_path, "import", "docker-bake.hcl", environment=os.environ)
    assert (done.code, done.err.count("warning")) == (0, 0), done.err
    planned = call(tmp_path, "plan", "--offline", "--format", "bake", "-o", "again.json")
    assert planned.code == 0, planned.err
    before, after = bake_print(tmp_path, "docker-bake.hcl"), bake_print(tmp_path, "again.json")
    assert set(after) == set(before)
    for name, target in before.items():
        again = {**after[name], "context": os.path.relpath(after[name]["context"], tmp_path)}
        again.pop("attest")
        assert {**again, "tags": sorted(again["tags"])} == {**target, "tags": sorted(target["tags"])}


@pytest.mark.real
def test_a_bake_file_that_buildx_refuses_is_a_wrong_call_with_its_words(tmp_path: Path) -> None:
    write(tmp_path, {"docker-bake.hcl": 'target "a" { context = "b"\n'})
    done = call(tmp_path, "import", "docker-bake.hcl", environment=os.environ)
    assert done.code == 2
    assert "buildx cannot read docker-bake.hcl" in done.err
