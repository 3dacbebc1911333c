"""`mabuild audit` from the command line: fixes, baselines, workflow files, exit codes."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import jsonschema
import pytest

from orchestrator.cli import run
from orchestrator.commands.session import Session

ROOT = Path(__file__).parent.parent
FAULTY = (ROOT / "dockerfiles" / "faulty" / "Dockerfile").read_text(encoding="utf-8")
CORRECTED = (ROOT / "dockerfiles" / "corrected" / "Dockerfile").read_text(encoding="utf-8")
WORKFLOW = """\
on: push
jobs:
  image:
    runs-on: ubuntu-24.04
    steps:
      - run: |
          mkdir tools
          curl -fsSLo tools/kubectl https://dl.k8s.io/release/v1.34.0/bin/linux/amd64/kubectl
      - uses: docker/build-push-action@v6
        with: {platforms: "linux/amd64,linux/arm64", context: .}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "Dockerfile").write_text(FAULTY)
    return tmp_path


def audit(folder: Path, *arguments: str) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    code = run(["audit", *arguments], Session({"HOME": str(folder)}, folder, out, err))
    return code, out.getvalue(), err.getvalue()


def without_comments(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))


def test_fixing_the_faulty_example_gives_the_corrected_one(folder: Path) -> None:
    assert audit(folder, ".")[0] == 1
    code, out, err = audit(folder, ".", "--fix")
    assert (code, out) == (0, "no findings in 1 Dockerfile\n")
    assert "fixed in 1 file" in err
    fixed = (folder / "Dockerfile").read_text()
    assert without_comments(fixed) == without_comments(CORRECTED)
    audit(folder, ".", "--fix")
    assert (folder / "Dockerfile").read_text() == fixed, "fixing twice changes nothing"


def test_a_diff_changes_nothing(folder: Path) -> None:
    code, out, _ = audit(folder, "Dockerfile", "--diff")
    assert code == 0
    assert "\n-ARG TARGETARCH=amd64\n" in out
    assert "\n+ARG TARGETARCH\n" in out
    assert (folder / "Dockerfile").read_text() == FAULTY


def test_json_has_the_published_shape(folder: Path) -> None:
    (folder / "broken.Dockerfile").write_text("FRO debian\n")
    code, out, err = audit(folder, ".", "--format", "json")
    document = json.loads(out)
    schema = json.loads((ROOT / "schema" / "audit.schema.json").read_text())
    jsonschema.validate(document, schema)
    assert document["checked"] == {"dockerfiles": 1, "scripts": 0}
    assert document["failed"][0]["path"] == "broken.Dockerfile"
    assert "broken.Dockerfile:1" in err
    assert code == 2, "a file that cannot be parsed never looks clean"


@pytest.mark.parametrize(("fail_on", "code"), [("error", 1), ("warning", 1), ("note", 1), ("never", 0)])
def test_the_threshold(folder: Path, fail_on: str, code: int) -> None:
    assert audit(folder, ".", "--fail-on", fail_on)[0] == code


def test_rules_are_chosen_listed_and_explained(folder: Path) -> None:
    _, out, _ = audit(folder, ".", "--select", "MA2,download-architecture", "--statistics")
    assert sorted(line.split()[1] for line in out.splitlines()) == ["MA201", "MA301"]
    _, out, _ = audit(folder, ".", "--ignore", "MA1,MA2,MA3,MA4")
    assert "no findings" in out
    assert "MA201  error" in audit(folder, "--list-rules")[1]
    assert "Good:" in audit(folder, "--explain", "ma201")[1]
    code, _, err = audit(folder, ".", "--select", "MA999")
    assert code == 2
    assert "--list-rules" in err


def test_a_baseline_hides_what_is_known_and_nothing_else(folder: Path) -> None:
    code, _, err = audit(folder, ".", "--baseline", "known.json")
    assert code == 0
    assert "findings written into known.json" in err
    (folder / "Dockerfile").write_text(
        f"# a line more\n{FAULTY}RUN curl -O https://dl.k8s.io/v1.34.0/bin/linux/amd64/kubeadm\n"
    )
    code, out, _ = audit(folder, ".", "--baseline", "known.json", "--format", "json")
    assert code == 1
    assert [finding["line"] for finding in json.loads(out)["findings"]] == [12]
    (folder / "known.json").write_text("{")
    assert audit(folder, ".", "--baseline", "known.json")[0] == 2


def test_workflow_files_are_read_when_given_or_with_ci(folder: Path) -> None:
    workflow = folder / ".github" / "workflows" / "image.yml"
    workflow.parent.mkdir(parents=True)
    workflow.write_text(WORKFLOW)
    code, out, _ = audit(folder, ".github/workflows/image.yml", "--format", "json")
    assert code == 1
    (finding,) = json.loads(out)["findings"]
    assert (finding["rule"], finding["path"], finding["line"]) == ("MA301", ".github/workflows/image.yml", 8)
    (folder / "Dockerfile").write_text("FROM debian\n")
    assert audit(folder, "Dockerfile")[0] == 0
    assert audit(folder, "Dockerfile", "--ci")[0] == 1
    workflow.write_text("jobs: [")
    assert audit(folder, "Dockerfile", "--ci")[0] == 2


def test_a_script_of_the_build_context_is_read_and_fixed_in_place(folder: Path) -> None:
    (folder / "Dockerfile").write_text("FROM debian:13\nARG TARGETARCH\nCOPY get.sh /\nRUN sh /get.sh\n")
    (folder / "get.sh").write_text("curl -fsSLO https://dl.k8s.io/release/v1.34.0/bin/linux/amd64/kubectl\n")
    code, out, _ = audit(folder, "Dockerfile", "--format", "json")
    assert code == 1
    assert {finding["path"] for finding in json.loads(out)["findings"]} == {"get.sh"}
    assert json.loads(out)["checked"]["scripts"] == 1


@pytest.mark.parametrize(("name", "first"), [("get.sh", ""), ("get", "#!/bin/bash\n"), ("get", "#!/usr/bin/env sh\n")])
def test_a_script_that_is_named_is_audited_and_fixed_as_one(folder: Path, name: str, first: str) -> None:
    (folder / name).write_text(f"{first}curl -fsSLO https://dl.k8s.io/release/v1.34.0/bin/linux/amd64/kubectl\n")
    code, out, _ = audit(folder, name, "--format", "json")
    assert code == 1
    document = json.loads(out)
    assert [finding["rule"] for finding in document["findings"]] == ["MA301"]
    assert document["checked"] == {"dockerfiles": 0, "scripts": 1}
    assert audit(folder, name, "--unsafe-fixes")[0] in {0, 1}


def test_a_link_out_of_the_context_is_not_followed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "get.sh"
    outside.write_text("curl -fsSLO https://dl.k8s.io/release/v1.34.0/bin/linux/amd64/kubectl\n")
    (folder / "get.sh").symlink_to(outside)
    (folder / "Dockerfile").write_text("FROM debian:13\nCOPY get.sh /\nRUN sh /get.sh\n")
    assert json.loads(audit(folder, "Dockerfile", "--format", "json")[1])["checked"]["scripts"] == 0
