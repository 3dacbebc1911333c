"""The configuration of an engine of the lab's own, and the traces of a killed one."""

from __future__ import annotations

from pathlib import Path

from lab.engine import Engine, mounts_under
from lab.network import Bridge

MOUNTINFO = """\
21 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 21 254:0 /lab/engine /lab/engine rw - ext4 /dev/vda rw
31 30 254:0 /lab/engine /lab/engine rw - ext4 /dev/vda rw
32 30 0:50 / /lab/engine/rootfs/1 rw - overlay overlay rw
33 21 0:51 / /lab/engine-of-another rw - tmpfs tmpfs rw
"""


def test_every_folder_of_an_engine_is_its_own(tmp_path: Path) -> None:
    first = Engine("one", tmp_path / "run", tmp_path / "one", tmp_path, Bridge(201), mirror="localhost:5000").settings()
    second = Engine("two", tmp_path / "run", tmp_path / "two", tmp_path, Bridge(202)).settings()
    assert first["registry-mirrors"] == ["http://localhost:5000"]
    assert "registry-mirrors" not in second
    for key in ("data-root", "exec-root", "pidfile", "hosts", "bridge"):
        assert first[key] != second[key]


def test_mounts_of_a_killed_engine_are_found_the_latest_first() -> None:
    assert mounts_under(MOUNTINFO, (Path("/lab/engine"), Path("/lab/exec"))) == (
        "/lab/engine/rootfs/1",
        "/lab/engine",
        "/lab/engine",
    )
    assert mounts_under(MOUNTINFO, (Path("/elsewhere"),)) == ()
