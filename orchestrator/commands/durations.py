"""Remembers between runs how long cells took, in the cache folder; what cannot be read or written is only not known."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from orchestrator.commands.session import Session
from orchestrator.core.result import Results
from orchestrator.planning.history import Durations, history_text, read_history, with_results

_LARGEST = 4 * 1024 * 1024


def durations(session: Session) -> Durations:
    """What earlier runs took."""
    path = _path(session)
    try:
        return read_history(path.read_text(encoding="utf-8") if path.stat().st_size <= _LARGEST else "")
    except (OSError, UnicodeDecodeError):
        return {}


def remember(results: Results, session: Session) -> None:
    """Add what this run took; two runs at once may lose one of their answers, never the file."""
    path = _path(session)
    text = history_text(with_results(durations(session), results.cells))
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(temporary).replace(path)


def _path(session: Session) -> Path:
    return session.cache_directory / "durations.json"
