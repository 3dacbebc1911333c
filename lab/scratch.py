"""Short-lived folders of extra parts, and the end of those whose owner was killed before it could clean up."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lab.engine import Engine
from lab.network import PREFIX, Bridge
from lab.process import Daemon, identity

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "mabuild-lab-"
OWNER = "owner.json"
ENGINE = "second"


@contextmanager
def scratch() -> Iterator[Path]:
    """A short-named folder outside of pytest's, whose paths are too long for sockets."""
    folder = Path(tempfile.mkdtemp(prefix=NAME))
    (folder / OWNER).write_text(json.dumps({"pid": os.getpid(), "identity": identity(os.getpid())}))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def end_orphans(parent: Path) -> int:
    """Stop the parts in folders below `parent` whose owner is gone; how many folders there were."""
    orphans = [folder for folder in parent.glob(f"{NAME}*") if _is_orphan(folder)]
    for folder in orphans:
        _end(folder)
    return len(orphans)


def _is_orphan(folder: Path) -> bool:
    owner = folder / OWNER
    return owner.exists() and not Daemon(owner, folder / "log").pid


def _end(folder: Path) -> None:
    settings = folder / f"{ENGINE}-settings.json"
    if settings.exists():
        bridge = json.loads(settings.read_text())["bridge"]
        number = int(bridge.removeprefix(PREFIX))
        Engine(ENGINE, folder, folder / "data", folder, Bridge(number)).stop()
    for record in folder.glob("*.json"):
        if record.name != OWNER:
            Daemon(record, folder / "log").stop()
    shutil.rmtree(folder, ignore_errors=True)
