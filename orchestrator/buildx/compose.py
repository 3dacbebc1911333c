"""A compose file with everything that it includes, as docker's compose plug-in puts it together where it is there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from orchestrator.buildx.process import PROCESSES, Call
from orchestrator.core.errors import UnreachableError

_SECONDS = 60


def put_together(path: Path, environment: Mapping[str, str]) -> str:
    """The file as one text, its variables kept, paths relative to its folder; empty where there is no compose.

    Compose makes paths absolute, which they must be while files of several folders are joined.
    """
    argv = ("docker", "compose", "--profile=*", f"--file={path.name}", "config", "--no-interpolate")
    try:
        done = PROCESSES.run(Call(argv, environment, str(path.parent)), _SECONDS)
    except UnreachableError:
        return ""
    return relative_paths(done.stdout, path.parent) if not done.code else ""


def relative_paths(text: str, directory: Path) -> str:
    """The text with absolute paths into a folder written as from that folder."""
    return re.sub(rf"""(?m)(?<=[ ='"]){re.escape(str(directory))}(?=/|['"]?$)""", ".", text)
