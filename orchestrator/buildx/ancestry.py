"""Whether one commit comes after another, asked of git."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from orchestrator.buildx.process import run
from orchestrator.core.errors import MabuildError

_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_SECONDS = 20.0


def is_ancestor(old: str, new: str, directory: Path, environment: Mapping[str, str]) -> bool | None:
    """Whether `old` is `new` or an ancestor of it; None where git does not know (shallow clone, unknown commit)."""
    if not (_COMMIT.fullmatch(old) and _COMMIT.fullmatch(new)):
        return None
    command = ("git", "-C", str(directory), "merge-base", "--is-ancestor", old, new)
    try:
        code = run(command, _SECONDS, environment=environment).code
    except MabuildError:
        return None
    return {0: True, 1: False}.get(code)
