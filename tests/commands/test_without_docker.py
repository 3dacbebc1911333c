"""What the commands say where docker is not there, and what they refuse before they look for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.calling import Called, call, write

MANIFEST = """\
version: 1
registry: localhost:1/nobody
services:
  api: {image: api, context: .}
"""


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    return write(tmp_path, {"mabuild.yaml": MANIFEST, "Dockerfile": "FROM scratch\nCOPY mabuild.yaml /\n"})


def without_docker(folder: Path, *arguments: str) -> Called:
    """A call in which no program is found."""
    surroundings = {"PATH": str(folder / "no-programs"), "HOME": str(folder / "home")}
    return call(folder, *arguments, environment=surroundings)


@pytest.mark.parametrize("arguments", [("plan",), ("build", "--push"), ("build", "--dry-run")])
def test_a_plan_needs_a_node_and_the_doctor_is_named(fleet: Path, arguments: tuple[str, ...]) -> None:
    done = without_docker(fleet, *arguments)
    assert (done.code, done.out) == (4, "")
    assert "docker is not there" in done.err
    assert "`mabuild doctor`" in done.err


def test_nodes_shows_the_builder_that_does_not_answer(fleet: Path) -> None:
    done = without_docker(fleet, "nodes")
    assert done.code == 4
    assert "docker is not there" in done.out
    (node,) = json.loads(without_docker(fleet, "nodes", "--format", "json").out)["nodes"]
    assert node["status"] == "docker is not there"


def test_the_doctor_says_what_to_install(fleet: Path) -> None:
    done = without_docker(fleet, "doctor")
    assert done.code == 4
    assert "→ install docker" in done.out
    assert done.out.endswith("1 to mend before builds work\n")
    checks = json.loads(without_docker(fleet, "doctor", "--format", "json").out)["checks"]
    assert [(check["name"], check["ok"]) for check in checks] == [("docker", False), ("logins", True)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("build", "--push", "--load"), "exclude each other"),
        (("build", "--cell", "api"), "is no cell"),
        (("build", "--publish", "some"), "--publish 'some' is not known"),
        (("build", "--timeout", "soon"), "--timeout: 'soon' is no duration"),
        (("build", "--progress", "fancy"), "--progress 'fancy' is not known"),
        (("build", "--format", "xml"), "--format 'xml' is not known"),
        (("publish", "--records", "nowhere"), "is no folder of records"),
        (("rollback", "nothing.json"), "cannot be read"),
        (("nodes", "--format", "xml"), "--format 'xml' is not known"),
    ],
)
def test_wrong_calls_are_told_before_docker_is_asked(fleet: Path, arguments: tuple[str, ...], said: str) -> None:
    done = without_docker(fleet, *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_the_schema_and_a_plan_offline_need_nothing(fleet: Path) -> None:
    assert json.loads(without_docker(fleet, "schema").out)["title"] == "mabuild"
    done = without_docker(fleet, "plan", "--offline", "--format", "json")
    assert done.code == 0
    assert [cell["id"] for cell in json.loads(done.out)["cells"]] == ["api@linux/amd64", "api@linux/arm64"]
