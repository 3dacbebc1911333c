from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from orchestrator.registry.credential_helper import HelperError, ask_helper


def install(folder: Path, script: str) -> dict[str, str]:
    path = folder / "docker-credential-test"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return {"PATH": f"{folder}:{os.defpath}"}


def test_the_server_comes_on_stdin_and_nothing_on_the_command_line(tmp_path: Path) -> None:
    environment = install(tmp_path, 'read server; echo "{\\"Username\\":\\"$*\\",\\"Secret\\":\\"$server\\"}"')
    assert ask_helper("test", "ghcr.io", environment) == ("get", "ghcr.io")


def test_the_environment_is_handed_on_and_no_other(tmp_path: Path) -> None:
    environment = {**install(tmp_path, 'echo "{\\"Username\\":\\"$A\\",\\"Secret\\":\\"$HOME\\"}"'), "A": "a"}
    assert ask_helper("test", "ghcr.io", environment) == ("a", "")


def test_a_helper_that_hangs_is_ended_with_what_it_started(tmp_path: Path) -> None:
    environment = install(tmp_path, f"sleep 60 & echo $! >{tmp_path}/child; wait")
    began = time.monotonic()
    with pytest.raises(HelperError, match=r"gave no answer in 0\.5 s"):
        ask_helper("test", "ghcr.io", environment, 0.5)
    assert time.monotonic() - began < 40
    child = int((tmp_path / "child").read_text())
    for _ in range(50):
        if not is_running(child):
            break
        time.sleep(0.05)
    assert not is_running(child)


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("name", ["../evil", "a/b", "", "a b"])
def test_strange_names_are_not_started(tmp_path: Path, name: str) -> None:
    with pytest.raises(HelperError, match="is not installed"):
        ask_helper(name, "ghcr.io", install(tmp_path, "true"))


def test_a_helper_that_cannot_be_started(tmp_path: Path) -> None:
    environment = install(tmp_path, "")
    (tmp_path / "docker-credential-test").write_text("#!/nonexistent/shell\n")
    with pytest.raises(HelperError, match="cannot be started"):
        ask_helper("test", "ghcr.io", environment)
