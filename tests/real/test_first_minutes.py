"""The tutorial on real parts: from Dockerfiles for amd64 alone to proven images of two platforms."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest

from tests.real.lab import mabuild, platforms, registry
from tests.real.shop import COMMANDS, SERVICES, write_shop
from tests.workflows.runner import git

pytestmark = pytest.mark.real


def test_four_commands_lead_to_proven_images(tmp_path: Path) -> None:
    prefix = f"{registry()}/first-minutes/{secrets.token_hex(6)}"
    write_shop(tmp_path / "shop", prefix)
    git(tmp_path / "shop", "init", "--quiet")
    git(tmp_path / "shop", "add", ".")
    git(tmp_path / "shop", "commit", "--quiet", "--message", "three images for amd64")
    git(tmp_path, "clone", "--quiet", "shop", "clone")
    folder = tmp_path / "clone"
    for command in COMMANDS:
        done = mabuild(folder, *command)
        assert done.code == 0, f"{command}: {done.out}{done.err}"
    for service in SERVICES:
        assert platforms(f"{prefix}/{service}:latest") == ["linux/amd64", "linux/arm64"]
    again = mabuild(folder, "build", "--push", "--format", "json").json
    assert {cell["outcome"] for cell in again["cells"]} == {"unchanged"}


def test_before_the_audit_there_is_something_to_mend(tmp_path: Path) -> None:
    write_shop(tmp_path, registry())
    assert mabuild(tmp_path, "init").code == 0
    assert mabuild(tmp_path, "audit").code == 1
