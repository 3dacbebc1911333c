"""What commands tell a GitHub Actions step."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.commands.calling import call, write
from tests.registry.images import make_image
from tests.registry.layouts import layout_files, write_files

MANIFEST = """\
version: 1
registry: registry.example/acme
defaults: {emulation: %s}
services:
  base: {image: base, context: base}
  api: {image: api, context: api}
"""


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    dockerfiles = {"base/Dockerfile": "FROM scratch\n", "api/Dockerfile": "FROM registry.example/acme/base\nRUN x\n"}
    return write(tmp_path, {"mabuild.yaml": MANIFEST % "warn", **dockerfiles})


def step(folder: Path) -> dict[str, str]:
    files = {"GITHUB_OUTPUT": folder / "output", "GITHUB_STEP_SUMMARY": folder / "summary"}
    return {"GITHUB_ACTIONS": "true", **{name: str(path) for name, path in files.items()}}


def outputs(path: Path) -> dict[str, str]:
    found = re.findall(r"^(.+?)<<(.+)\n((?s:.*?))\n\2$", path.read_text(), re.MULTILINE)
    delimiters = {delimiter for _, delimiter, _ in found}
    assert all(len(delimiter) >= 32 for delimiter in delimiters)
    return {name: value for name, _, value in found}


def test_a_matrix_is_handed_to_later_steps_wave_by_wave(fleet: Path) -> None:
    done = call(fleet, "plan", "--offline", "--format", "matrix", environment=step(fleet))
    assert done.code == 0, done.err
    found = outputs(fleet / "output")
    assert json.loads(found["matrix"]) == json.loads(done.out)
    assert (found["waves"], found["total"], found["emulated"]) == ("2", "4", "")
    assert json.loads(found["wave-1"])["include"][0]["cells"] == ["api@linux/amd64"]
    assert found["wave-1-count"] == "2"
    assert "| 1 | api |" in (fleet / "summary").read_text()


def test_a_plan_names_what_has_to_be_emulated_here_and_annotates_it(fleet: Path) -> None:
    done = call(fleet, "plan", "--offline", "--format", "json", environment=step(fleet))
    assert outputs(fleet / "output")["emulated"] in {"linux/arm64", "linux/amd64"}
    assert "::warning title=MP202 " in done.err
    assert "file=mabuild.yaml,line=6" in done.err


def test_delimiters_are_never_the_same(fleet: Path) -> None:
    for _ in range(2):
        call(fleet, "plan", "--offline", "--format", "json", environment=step(fleet))
    assert len(set(re.findall("<<(.*)", (fleet / "output").read_text()))) == 2


def test_errors_are_annotations_on_their_lines(fleet: Path) -> None:
    (fleet / "api/Dockerfile").write_text("FROM a\nRUNN x\n")
    done = call(fleet, "plan", "--offline", environment=step(fleet))
    assert re.search(r"^::error file=.*api/Dockerfile,line=2::unknown", done.err, re.MULTILINE)
    (fleet / "mabuild.yaml").write_text("version: 1\nservices:\n  a: {imag: x}\n")
    done = call(fleet, "plan", "--offline", environment=step(fleet))
    assert re.search(r"^::error title=.*file=mabuild.yaml,line=3,", done.err, re.MULTILINE)


def test_without_actions_nothing_of_it_is_told(fleet: Path) -> None:
    files = {name: value for name, value in step(fleet).items() if name != "GITHUB_ACTIONS"}
    done = call(fleet, "plan", "--offline", environment=files)
    assert "::" not in done.err
    assert not (fleet / "output").exists()


@pytest.mark.parametrize(("platform", "verdict", "code"), [("linux/arm64", "pass", 0), ("linux/s390x", "fail", 1)])
def test_verify_gives_its_verdict_findings_and_a_summary(
    tmp_path: Path, platform: str, verdict: str, code: int
) -> None:
    write_files(tmp_path / "layout", layout_files(make_image()))
    asked = (f"oci-layout:{tmp_path}/layout", "--platform", platform, "--level", "meta")
    done = call(tmp_path, "verify", *asked, environment=step(tmp_path))
    assert done.code == code, done.err + done.out
    assert outputs(tmp_path / "output")["verdict"] == verdict
    assert "### Verification" in (tmp_path / "summary").read_text()
    assert ("::error title=MV101 " in done.err) == (code == 1)
