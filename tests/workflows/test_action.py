"""The composite action where no engine is needed: audits, reports, and inputs that are no command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.calling import write
from tests.workflows.job import Job, JobRun
from tests.workflows.runner import ROOT
from tests.workflows.stand_ins import Place

MANIFEST = "version: 1\nservices: {api: {image: r.example/api, context: api}}\n"


def action(folder: Path, **inputs: Any) -> JobRun:
    """Run the action in a folder, as the only step of a job."""
    place = Place(folder / "work", folder / "temporary", {}, folder, folder / "artifacts")
    place.temporary.mkdir(exist_ok=True)
    step = {"id": "it", "uses": "$/.github/actions/mabuild", "with": {"version": "installed", **inputs}}
    names = ("report", "verdict", "total")
    job = {"steps": [step], "outputs": {name: f"${{{{ steps.it.outputs.{name} }}}}" for name in names}}
    return Job("job", job, {"github": {"repository": "acme/shop"}}, place, ROOT).run()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {"mabuild.yaml": MANIFEST, "api/Dockerfile": "FROM --platform=linux/amd64 debian:13\nRUN true\n"}
    write(tmp_path / "work", files)
    return tmp_path


def test_an_audit_annotates_lines_and_writes_a_report_for_code_scanning(folder: Path) -> None:
    done = action(folder, command="audit", report="audit.sarif")
    assert done.result == "failure"
    assert "::error title=MA101 from-platform-constant,file=api/Dockerfile,line=1" in done.log
    assert "### Audit" in done.summary
    assert done.outputs["report"] == "audit.sarif"
    report = json.loads((folder / "work" / "audit.sarif").read_text())
    assert report["runs"][0]["results"][0]["ruleId"] == "MA101"


def test_an_audit_may_only_tell(folder: Path) -> None:
    assert action(folder, command="audit", **{"fail-on": "never"}).result == "success"


def test_files_and_folders_are_named_line_by_line(folder: Path) -> None:
    (folder / "work" / "mabuild.yaml").rename(folder / "work" / "a file.yaml")
    done = action(folder, command="audit", files="\n  a file.yaml  \n\n")
    assert "MA101" in done.log


@pytest.mark.parametrize("command", ["nonsense", "audit; touch trap", "$(touch trap)", ""])
def test_what_is_no_command_is_refused_and_not_run(folder: Path, command: str) -> None:
    done = action(folder, command=command)
    assert done.result == "failure"
    assert "the action knows audit, plan, build, publish and verify" in done.log
    assert not list(folder.rglob("trap"))


@pytest.mark.parametrize("cells", ["api@linux/arm64; touch trap", "*@linux/arm64", "$(touch trap)@linux/amd64"])
def test_what_is_no_cell_is_refused_and_not_run(folder: Path, cells: str) -> None:
    done = action(folder, command="build", cells=cells, push=True, emulate="")
    assert done.result == "failure"
    assert "is no cell" in done.log
    assert "mabuild" not in done.log.replace("Run mabuild", ""), "nothing was called"
    assert not list(folder.rglob("trap"))
