"""Daemons are recognised by more than their number."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from lab.errors import LabError
from lab.process import Daemon, identity, pipe, run, succeeds

SLEEP = [sys.executable, "-c", "import time; print('here', flush=True); time.sleep(60)"]


def test_a_daemon_is_started_known_and_stopped(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path / "pid.json", tmp_path / "log")
    assert daemon.pid == 0
    daemon.start(SLEEP)
    daemon.wait_until(lambda: "here" in daemon.last_words(), seconds=20, what="it")
    assert Daemon(tmp_path / "pid.json", tmp_path / "log").pid == daemon.pid != 0
    assert daemon.stop()
    assert daemon.pid == 0
    assert not daemon.stop()


def test_another_process_with_the_same_number_is_left_alone(tmp_path: Path) -> None:
    record = tmp_path / "pid.json"
    record.write_text(json.dumps({"pid": os.getpid(), "identity": "another boot/1"}))
    daemon = Daemon(record, tmp_path / "log")
    assert daemon.pid == 0
    assert not daemon.stop()


def test_a_daemon_that_dies_tells_why(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path / "pid.json", tmp_path / "log")
    daemon.start([sys.executable, "-c", "raise SystemExit('no such luck')"])
    with pytest.raises(LabError, match="it did not come up") as caught:
        daemon.wait_until(lambda: False, seconds=20, what="it")
    assert "no such luck" in caught.value.hint
    assert not daemon.stop()


def test_identity() -> None:
    assert identity(os.getpid()) == identity(os.getpid()) != ""
    assert identity(2**22 + 1) == ""


def test_a_failed_command_shows_its_last_words() -> None:
    with pytest.raises(LabError) as caught:
        run([sys.executable, "-c", "raise SystemExit('bad day')"])
    assert caught.value.hint == "bad day"
    assert caught.value.exit_code == 4
    with pytest.raises(LabError, match="not installed"):
        run(["no-such-program-anywhere"])
    assert not succeeds(["no-such-program-anywhere"])


def test_a_pipe_fails_when_either_end_fails() -> None:
    good, bad = [sys.executable, "-c", "pass"], [sys.executable, "-c", "raise SystemExit(3)"]
    pipe(good, good)
    for first, second in ((good, bad), (bad, good)):
        with pytest.raises(LabError):
            pipe(first, second)
