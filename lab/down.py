"""Stops what the lab started, and nothing else."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from lab import emulator
from lab.errors import LabError
from lab.nodes import remove_builder
from lab.scratch import end_orphans
from lab.setting import BUILDER, Lab

if TYPE_CHECKING:
    from collections.abc import Callable

    from lab.home import Home


def bring_down(home: Home, say: Callable[[str], None], *, everything: bool) -> None:
    """Stop all parts, also those of killed runs; with `everything` forget caches and data as well."""
    if orphans := end_orphans(Path(tempfile.gettempdir())):
        say(f"lab: {orphans} orphaned part(s) of killed runs stopped")
    try:
        lab = Lab.load(home)
    except LabError:
        say("lab: nothing was up")
    else:
        _stop(lab, say)
    if everything:
        home.forget()
        say(f"lab: {home.root} removed")


def _stop(lab: Lab, say: Callable[[str], None]) -> None:
    if not lab.decisions.remote:
        remove_builder(BUILDER, lab.environment)
    shutil.rmtree(lab.home.buildx, ignore_errors=True)
    stopped = {"remote node stopped": lab.node.stop(), "registry stopped": lab.registry.stop(lab.engine_environment)}
    stopped["engine stopped"] = lab.decisions.own_engine and lab.engine.stop()
    noted = lab.home.emulator
    stopped["emulator unregistered"] = noted.exists() and emulator.remove(noted.read_text())
    noted.unlink(missing_ok=True)
    for what in [what for what, done in stopped.items() if done] or ["nothing was up"]:
        say(f"lab: {what}")
