"""`docker mabuild …`, and the hooks for pre-commit."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from orchestrator import __version__
from orchestrator.auditing.discover import is_dockerfile_name
from tests.commands.calling import call, write

ROOT = Path(__file__).resolve().parents[2]
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}


@pytest.mark.real
def test_docker_finds_the_plugin_and_runs_it(tmp_path: Path) -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    module, _, function = scripts["docker-mabuild"].partition(":")
    plugin = tmp_path / "cli-plugins" / "docker-mabuild"
    write(
        tmp_path, {"cli-plugins/docker-mabuild": f"#!{sys.executable}\nfrom {module} import {function}\n{function}()\n"}
    )
    plugin.chmod(0o755)
    variables = {**os.environ, "DOCKER_CONFIG": str(tmp_path), "PYTHONPATH": str(ROOT)}

    def docker(*arguments: str) -> str:
        command = ["docker", *arguments]
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=60)
        return done.stdout + done.stderr

    assert docker("mabuild", "--version") == f"mabuild {__version__}\n"
    assert "there is no manifest" in docker("mabuild", "plan", "-f", str(tmp_path / "none"))
    assert re.search(r"mabuild\*\s+Build images for several platforms", docker("--help"))


@pytest.mark.parametrize(
    "name",
    ["Dockerfile", "api/Dockerfile", "Dockerfile.arm64", "web.Dockerfile", "Containerfile", "a/b/api.dockerfile"],
)
def test_the_hook_sees_the_dockerfiles_that_the_audit_sees(name: str) -> None:
    assert is_dockerfile_name(name.rpartition("/")[2])
    hook = HOOKS["mabuild-audit"]
    assert re.search(hook["files"], name)
    assert not re.search(hook["exclude"], name)


def test_the_hooks_run(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "api/Dockerfile": "FROM --platform=linux/amd64 debian\nRUN echo\n",
            "mabuild.yaml": "version: 1\nservices: {api: {image: r.example/api, context: api}}\n",
        },
    )
    found = call(tmp_path, *shlex.split(HOOKS["mabuild-audit"]["entry"])[1:], "api/Dockerfile")
    assert found.code == 1
    assert "MA101" in found.out
    checked = shlex.split(HOOKS["mabuild-manifest"]["entry"])[1:]
    assert call(tmp_path, *checked).code == 0
    (tmp_path / "mabuild.yaml").write_text("version: 1\nservices: {api: {imag: r.example/api, context: api}}\n")
    assert call(tmp_path, *checked).code == 2
