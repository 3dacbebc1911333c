"""The GitLab example of the documentation, its scripts run as they are written, each job in a clone of its own."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.real.lab import platforms, registry
from tests.workflows.runner import ROOT, git

pytestmark = pytest.mark.real
_MANIFEST = """\
version: 1
registry: ${CI_REGISTRY_IMAGE}
defaults: {tags: [latest]}
services: {api: {image: api, context: api}}
"""


def pipeline() -> Any:
    page = (ROOT / "docs/how-to/gitlab.md").read_text()
    return yaml.safe_load(
        next(block for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "stages:" in block)
    )


def run(script: list[str], folder: Path, variables: Mapping[str, str]) -> str:
    """The lines of a job, as GitLab's runner gives them to a POSIX shell."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    surroundings = {
        **os.environ,
        "PATH": path,
        "GITLAB_CI": "true",
        "MABUILD_CACHE": str(folder / ".cache"),
        **variables,
    }
    command = ["sh", "-e", "-c", "\n".join(script)]
    done = subprocess.run(
        command, cwd=folder, env=surroundings, capture_output=True, text=True, check=False, timeout=240
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_example_builds_on_two_runners_and_publishes_once(tmp_path: Path) -> None:
    jobs = pipeline()
    repository = tmp_path / "shop"
    (repository / "api").mkdir(parents=True)
    (repository / "mabuild.yaml").write_text(_MANIFEST)
    (repository / "api" / "Dockerfile").write_text("FROM busybox:stable\nRUN echo api > /api\n")
    git(repository, "init", "--quiet")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "a service")
    image = f"{registry()}/gitlab/{secrets.token_hex(6)}"

    def clone(name: str) -> Path:
        git(tmp_path, "clone", "--quiet", str(repository), name)
        return tmp_path / name

    variables = {"CI_REGISTRY_IMAGE": image}
    run(jobs["plan"]["script"], clone("plan"), variables)
    last = clone("publish")
    for number, entry in enumerate(jobs["build"]["parallel"]["matrix"]):
        folder = clone(f"build-{number}")
        run(jobs["build"]["script"], folder, {**variables, **entry})
        for pattern in jobs["build"]["artifacts"]["paths"]:
            (last / "records").mkdir(exist_ok=True)
            for file in folder.glob(pattern):
                shutil.copy(file, last / "records")
    run(jobs["publish"]["script"], last, variables)
    assert platforms(f"{image}/api:latest") == ["linux/amd64", "linux/arm64"]
    assert "<testsuite" in (last / jobs["publish"]["artifacts"]["reports"]["junit"]).read_text()
