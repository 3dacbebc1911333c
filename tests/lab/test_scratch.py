"""Parts whose owner was killed are ended by the next `down`, and others are left alone."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import pytest

from lab.process import Daemon
from lab.scratch import NAME, OWNER, end_orphans, scratch

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


def test_a_folder_with_a_living_owner_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with scratch() as folder:
        assert folder.parent == tmp_path
        assert end_orphans(tmp_path) == 0
        assert folder.exists()
    assert not folder.exists()


def test_an_orphans_daemons_are_stopped(tmp_path: Path) -> None:
    folder = tmp_path / f"{NAME}dead"
    folder.mkdir()
    (folder / OWNER).write_text(json.dumps({"pid": 1, "identity": "another boot/1"}))
    daemon = Daemon(folder / "node.json", tmp_path / "log")
    daemon.start(SLEEP)
    pid = daemon.pid
    assert pid
    assert end_orphans(tmp_path) == 1
    assert not folder.exists()
    assert not Path(f"/proc/{pid}/cmdline").exists() or not Path(f"/proc/{pid}/cmdline").read_bytes()


def test_folders_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / f"{NAME}without-owner").mkdir()
    (tmp_path / "mabuild-else").mkdir()
    assert end_orphans(tmp_path) == 0
    assert len(list(tmp_path.iterdir())) == 2
