"""The reusable workflow as it is written, on real engines: two stand for the amd64 and the arm64 runner."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.home import Home
from lab.parts import builder, remote_node, second_engine
from lab.setting import Lab
from tests.real.lab import platforms, registry, skopeo
from tests.workflows.runner import ROOT, Run, Runner, git

pytestmark = pytest.mark.real
WORKFLOW = ".github/workflows/multiarch.yml"
AMD, ARM = "ubuntu-24.04", "ubuntu-24.04-arm"
MANIFEST = """\
version: 1
registry: {registry}
defaults: {{tags: [latest], attest: {{provenance: "false"}}}}
services:
  base: {{image: base, context: base}}
  app: {{image: app, context: app, args: {{REGISTRY: "{registry}", BROKEN: "${{BROKEN:-}}"}}}}
  tool: {{image: tool, context: tool}}
"""
DOCKERFILES = {
    "base": "FROM busybox:stable\nRUN echo base > /base\n",
    "app": 'ARG REGISTRY\nFROM $REGISTRY/base\nARG BROKEN TARGETARCH\nRUN cat /base && test $TARGETARCH != "$BROKEN"\n',
    "tool": "FROM busybox:stable\nCOPY Dockerfile /\n",
}
WITH = {"version": "installed", "registry": "localhost:5000"}


@pytest.fixture(scope="module")
def machines() -> Iterator[Mapping[str, Mapping[str, str]]]:
    """The lab's node for the one runner, a node on an engine of its own for the other."""
    keys = ("DOCKER_HOST", "BUILDX_CONFIG", "BUILDX_BUILDER")
    first = {key: os.environ[key] for key in keys if key in os.environ}
    if "DOCKER_HOST" not in first or not shutil.which("dockerd"):
        yield {AMD: first, ARM: first}
        return
    with (
        second_engine(mirror=Lab.load(Home.from_environment(os.environ)).registry.host) as engine,
        remote_node(engine.environment) as node,
        builder("arm", {"arm0": node.endpoint}, engine.environment) as handle,
    ):
        yield {AMD: first, ARM: handle.environment}


@pytest.fixture
def runner(tmp_path: Path, machines: Mapping[str, Mapping[str, str]]) -> Runner:
    """A repository with a small fleet, pushed to on its main branch."""
    repository = tmp_path / "shop"
    repository.mkdir()
    git(repository, "init", "--quiet", "--initial-branch=main")
    prefix = f"{registry()}/workflows/{secrets.token_hex(6)}"
    (repository / "mabuild.yaml").write_text(MANIFEST.format(registry=prefix))
    for name, content in DOCKERFILES.items():
        (repository / name).mkdir()
        (repository / name / "Dockerfile").write_text(content)
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "a fleet")
    github = {
        "event": {},
        "event_name": "push",
        "repository": "acme/shop",
        "ref": "refs/heads/main",
        "ref_name": "main",
        "ref_type": "branch",
        "sha": git(repository, "rev-parse", "HEAD"),
        "actor": "somebody",
        "token": "token-of-the-job",
        "prefix": prefix,
    }
    return Runner(tmp_path / "run", repository, github, machines)


def broken(runner: Runner, architecture: str) -> dict[str, Mapping[str, str]]:
    """Machines of which the one for arm64 fails to build the app for an architecture."""
    return {**runner.machines, ARM: {**runner.machines[ARM], "BROKEN": architecture}}


def is_published(runner: Runner, service: str) -> bool:
    command = [
        "skopeo",
        "inspect",
        "--raw",
        "--tls-verify=false",
        f"docker://{runner.github['prefix']}/{service}:latest",
    ]
    return subprocess.run(command, capture_output=True, check=False, timeout=60).returncode == 0


def outcomes(run: Run, job: str) -> dict[str, str]:
    """What a job's summary says of its cells."""
    rows = [line.split("|") for line in run.jobs[job].summary.splitlines() if line.startswith("| ") and "@" in line]
    return {row[1].strip(): row[2].strip() for row in rows}


def explained(run: Run) -> str:
    return "".join(f"=== {name}: {job.result}\n{job.log}" for name, job in run.jobs.items())


def check_published(runner: Runner, run: Run) -> None:
    assert run.result == "success", explained(run)
    digests = json.loads(run.outputs["digests"])
    for service in DOCKERFILES:
        name = f"{runner.github['prefix']}/{service}:latest"
        assert platforms(name) == ["linux/amd64", "linux/arm64"]
        assert (
            skopeo("inspect", "--tls-verify=false", "--format", "{{.Digest}}", f"docker://{name}").strip()
            == (digests[service])
        )
    assert run.outputs["verdict"] == "pass"
    assert "### Verification" in run.jobs["verify"].summary


def test_by_platform_each_runner_builds_the_graph_and_a_second_run_builds_nothing(runner: Runner) -> None:
    run = runner.run(WORKFLOW, WITH)
    check_published(runner, run)
    arm = "wave-0 / build (all linux/arm64)"
    assert run.executed == ("plan", "wave-0 / build (all linux/amd64)", arm, "publish", "verify")
    assert outcomes(run, arm) == {f"{name}@linux/arm64": "built" for name in ("base", "app", "tool")}
    emulated = dict(run.jobs["wave-0 / build (all linux/amd64)"].used).get("docker/setup-qemu-action")
    assert emulated is None, "native cells need no emulator"
    again = runner.run(WORKFLOW, WITH)
    check_published(runner, again)
    assert (again.executed, again.outputs["total"]) == (("plan", "publish", "verify"), "0")


def test_by_cell_dependents_wait_for_a_wave_and_get_their_parents_by_digest(runner: Runner) -> None:
    run = runner.run(WORKFLOW, {**WITH, "group-by": "cell"})
    check_published(runner, run)
    assert sorted(name for name in run.executed if name.startswith("wave-1")) == [
        "wave-1 / build (app linux/amd64)",
        "wave-1 / build (app linux/arm64)",
    ]
    assert run.outputs["total"] == "6"
    assert [name for name in run.executed if "wave" not in name] == ["plan", "publish", "verify"]


def test_a_failing_cell_moves_no_tag_one_job_mends_it_and_records_have_to_be_complete(runner: Runner) -> None:
    good = dict(runner.machines)
    runner.machines = broken(runner, "arm64")
    run = runner.run(WORKFLOW, WITH)
    arm = "wave-0 / build (all linux/arm64)"
    assert [name for name, job in run.jobs.items() if job.result == "failure"] == [arm]
    assert "publish" not in run.executed
    assert not any(is_published(runner, service) for service in DOCKERFILES)
    assert outcomes(run, arm)["app@linux/arm64"] == "failed"
    runner.machines = good
    again = runner.run_again(WORKFLOW, WITH, arm)
    assert again.executed == (arm, "publish", "verify"), "only the job that failed, and what waited for it"
    assert outcomes(again, arm) == {
        "base@linux/arm64": "unchanged",
        "app@linux/arm64": "built",
        "tool@linux/arm64": "unchanged",
    }
    check_published(runner, again)
    shutil.rmtree(runner.folder / "artifacts" / "mabuild-records-0-all-linux-amd64")
    third = runner.run_again(WORKFLOW, WITH, "publish")
    assert (third.executed, third.jobs["publish"].result) == (("publish",), "failure")
    assert "::error::records are missing: base@linux/amd64" in third.jobs["publish"].log


def test_a_pull_request_of_a_fork_is_built_and_pushes_nothing(runner: Runner, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    branch = f'$(touch${{IFS}}{trap})`touch {trap}`";touch {trap};"\n::set-output name=x::y'
    event = {"pull_request": {"head": {"repo": {"full_name": "mallory/shop"}, "ref": branch}, "title": branch}}
    github = {**runner.github, "event": event, "event_name": "pull_request", "head_ref": branch, "token": ""}
    fork = replace(runner, github=github)
    run = fork.run(WORKFLOW, {**WITH, "group-by": "cell"})
    assert run.result == "success", explained(run)
    assert run.executed == ("plan", "wave-0 / build (all linux/amd64)", "wave-0 / build (all linux/arm64)")
    assert not any(is_published(runner, service) for service in DOCKERFILES)
    assert not any(action == "docker/login-action" for job in run.jobs.values() for action, _ in job.used)
    assert not trap.exists()
    assert outcomes(run, run.executed[1])["app@linux/amd64"] == "built"


def test_the_action_alone_builds_publishes_and_installs_what_it_has_to_emulate(runner: Runner) -> None:
    """What a small repository needs: one job with one step."""
    from tests.workflows.job import Job
    from tests.workflows.stand_ins import Place

    place = Place(
        runner.repository, runner.folder / "temporary", dict(runner.machines[AMD]), runner.repository, runner.folder
    )
    place.temporary.mkdir(parents=True)
    inputs: dict[str, Any] = {"command": "build", "push": True, "version": "installed", "metadata": "digests.json"}
    job = {
        "steps": [{"id": "images", "uses": "$/.github/actions/mabuild", "with": inputs}],
        "outputs": {"digests": "${{ steps.images.outputs.digests }}"},
    }
    done = Job("one", job, {"github": runner.github}, place, ROOT).run()
    assert done.result == "success", done.log
    assert set(json.loads(done.outputs["digests"])) == set(DOCKERFILES)
    assert json.loads((runner.repository / "digests.json").read_text())["base"]["containerimage.digest"]
    assert dict(done.used)["docker/setup-qemu-action"]["platforms"] == "linux/arm64"
