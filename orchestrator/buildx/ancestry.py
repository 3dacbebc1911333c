"""Which of two commits is the newer one, asked of git."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from orchestrator.buildx.process import Call, Processes
from orchestrator.core.errors import UnreachableError

_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_SECONDS = 20.0


def is_ancestor(
    old: str, new: str, directory: Path, environment: Mapping[str, str], processes: Processes
) -> tuple[bool, ...]:
    """Whether the old commit is the new one or one of its ancestors; nothing where git does not know both."""
    if not _COMMIT.fullmatch(old) or not _COMMIT.fullmatch(new):
        return ()
    argv = ("git", "merge-base", "--is-ancestor", old, new)
    try:
        done = processes.run(Call(argv, environment, str(directory)), _SECONDS)
    except UnreachableError:
        return ()
    return (done.code == 0,) if done.code in {0, 1} else ()
