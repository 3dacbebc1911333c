"""How long cells took when they were last built, as text to be kept between runs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from orchestrator.core.errors import UsageError
from orchestrator.core.plan import CellId, Mode
from orchestrator.core.result import CellResult, Outcome, Record

_VERSION = 1
_MOST = 5000
_WEIGHT_OF_NEW = 0.5
"""One slow run (a cold cache, a busy machine) does not turn the plan over; after three runs it is what counts."""

Durations = dict[tuple[CellId, Mode], float]


def read_history(text: str) -> Durations:
    """The durations in a text that `history_text` wrote; what is something else is left out."""
    try:
        content = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    entries = content.get("cells") if isinstance(content, dict) and content.get("version") == _VERSION else None
    found: Durations = {}
    for entry in entries if isinstance(entries, list) else ():
        key = _key(entry) if isinstance(entry, dict) else None
        if key is not None:
            found[key] = float(entry["seconds"])
    return found


def _key(entry: Mapping[str, object]) -> tuple[CellId, Mode] | None:
    seconds = entry.get("seconds")
    if not isinstance(seconds, int | float) or not 0 < seconds < float("inf"):
        return None
    try:
        return CellId.parse(str(entry.get("cell"))), Mode(str(entry.get("mode")))
    except (UsageError, ValueError):
        return None


def history_text(history: Mapping[tuple[CellId, Mode], float]) -> str:
    """The durations as JSON; the latest 5000."""
    latest = list(history.items())[-_MOST:]
    cells = [{"cell": str(cell), "mode": mode.value, "seconds": round(seconds, 1)} for (cell, mode), seconds in latest]
    return json.dumps({"version": _VERSION, "cells": cells}, indent=1) + "\n"


def with_results(history: Mapping[tuple[CellId, Mode], float], results: Iterable[CellResult | Record]) -> Durations:
    """The durations after a run; only cells that were really built count."""
    found = dict(history)
    for result in results:
        built = not isinstance(result, CellResult) or result.outcome is Outcome.BUILT
        if built and result.seconds > 0:
            key = (result.cell if isinstance(result, Record) else result.id, result.mode)
            before = found.pop(key, result.seconds)
            found[key] = before + (result.seconds - before) * _WEIGHT_OF_NEW
    return found
