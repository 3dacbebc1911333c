"""A plan as a bake file, and what buildx makes of it."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core.fleet import Attest, Fleet, Secret
from orchestrator.core.plan import Plan
from orchestrator.core.platform import LINUX_ARM64
from orchestrator.planning.bake import bake, context_name, target_names
from orchestrator.planning.plan import Doors, Options, make_plan
from orchestrator.planning.published import Published
from orchestrator.planning.reading import DockerfileRecipes
from orchestrator.planning.select import Selection
from tests.buildx.parts import lab_environment
from tests.planning.fleets import fleet, service

_BASE = "FROM scratch\nCOPY Dockerfile /\n"
_APP = "ARG TAG=1.0\nFROM ghcr.io/acme/base:${TAG} AS runtime\nCOPY --from=assets / /a\nFROM runtime AS tests\n"


def _fleet(folder: Path) -> Fleet:
    """A base and an app, the app with everything that a bake file can say."""
    (folder / "key.pem").write_text("no key")
    for name, text in {"base": _BASE, "my.app": _APP}.items():
        (folder / name).mkdir()
        (folder / name / "Dockerfile").write_text(text)
    base = replace(service("base"), context=folder / "base", dockerfile=folder / "base" / "Dockerfile")
    app = replace(
        service("my.app"),
        context=folder,
        dockerfile=folder / "my.app" / "Dockerfile",
        target="runtime",
        args=(("VERSION", "3.10"),),
        labels=(("a", "b"),),
        annotations=(("org.opencontainers.image.title", "App, with comma"),),
        contexts=(("assets", str(folder / "base")),),
        secrets=(Secret("npmrc", env="NPMRC"), Secret("key", file=str(folder / "key.pem"))),
        ssh=("default",),
        attest=Attest("max", sbom=True),
    )
    return fleet(base, app)


def _plan(wanted: Fleet, *names: str) -> Plan:
    doors = Doors(tuple, lambda _: Published("", (), True), DockerfileRecipes(wanted))
    return make_plan(wanted, Selection(names), doors, Options(offline=True))


def _data(wanted: Fleet, *names: str) -> Any:
    return json.loads(json.dumps(bake(_plan(wanted, *names))))


def test_everything_that_a_service_says_is_in_its_target(tmp_path: Path) -> None:
    found = _data(_fleet(tmp_path))
    assert found["group"] == {"default": {"targets": ["base", "my-app"]}}
    assert found["target"]["my-app"] == {
        "context": str(tmp_path),
        "dockerfile": "my.app/Dockerfile",
        "target": "runtime",
        "args": {"VERSION": "3.10"},
        "labels": {"a": "b"},
        "annotations": ["org.opencontainers.image.title=App, with comma"],
        "contexts": {"assets": str(tmp_path / "base"), "ghcr.io/acme/base:1.0": "target:base"},
        "tags": ["ghcr.io/acme/my.app:1.0", "ghcr.io/acme/my.app:latest"],
        "platforms": ["linux/amd64", "linux/arm64"],
        "secret": ["id=npmrc,env=NPMRC", f"id=key,src={tmp_path}/key.pem"],
        "ssh": ["default"],
        "attest": ["type=provenance,mode=max", "type=sbom"],
    }


def test_only_planned_platforms_are_in_it(tmp_path: Path) -> None:
    wanted = _fleet(tmp_path)
    doors = Doors(tuple, lambda _: Published("", (), True), DockerfileRecipes(wanted))
    plan = make_plan(wanted, Selection(("base",), (LINUX_ARM64,)), doors, Options(offline=True))
    targets: Any = bake(plan)["target"]
    assert {name: target["platforms"] for name, target in targets.items()} == {"base": ["linux/arm64"]}


def test_names_become_such_as_bake_takes_and_stay_different() -> None:
    assert target_names(["a.b", "a-b", "a/b"]) == {"a.b": "a-b", "a-b": "a-b-2", "a/b": "a-b-3"}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("docker.io/library/debian:latest", "debian"),
        ("debian:12", "debian:12"),
        ("ghcr.io/acme/base", "ghcr.io/acme/base"),
        ("Not A Name", "Not A Name"),
    ],
)
def test_names_of_contexts_are_in_dockers_short_form(written: str, name: str) -> None:
    assert context_name(written) == name


@pytest.mark.real
def test_buildx_accepts_it_and_links_the_targets(tmp_path: Path) -> None:
    base, app = _fleet(tmp_path).services
    path = tmp_path / "bake.json"
    path.write_text(json.dumps(bake(_plan(fleet(base, replace(app, ssh=()))))))
    done = subprocess.run(
        ["docker", "buildx", "bake", "--print", "-f", str(path)],
        env=lab_environment(NPMRC="secret"),
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert printed["target"]["my-app"]["contexts"]["ghcr.io/acme/base:1.0"] == "target:base"
    assert printed["target"]["my-app"]["platforms"] == ["linux/amd64", "linux/arm64"]
    assert printed["target"]["my-app"]["args"] == {"VERSION": "3.10"}


@pytest.mark.real
def test_bake_builds_the_graph_from_it(tmp_path: Path) -> None:
    wanted = _fleet(tmp_path)
    plain = replace(wanted.services[1], secrets=(), ssh=(), attest=Attest("false"), annotations=())
    path = tmp_path / "bake.json"
    path.write_text(json.dumps(bake(_plan(fleet(wanted.services[0], plain)))))
    done = subprocess.run(
        ["docker", "buildx", "bake", "-f", str(path), f"--allow=fs.read={tmp_path}", "--set=*.output=type=cacheonly"],
        env=lab_environment(),
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
