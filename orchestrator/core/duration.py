"""Durations as people write them: `90s`, `40m`, `1h30m`, `7d`."""

from __future__ import annotations

import re

from orchestrator.core.errors import UsageError

DURATION = re.compile(r"(?:\d{1,9}(?:\.\d{1,9})?(?:ms|[wdhms]))+")
_PART = re.compile(r"([\d.]+)(ms|[wdhms])")
_SECONDS = {"w": 604_800.0, "d": 86_400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


def seconds_of(text: str) -> float:
    """The seconds of a duration; UsageError for what is none."""
    if not DURATION.fullmatch(text):
        unit = " (a unit is missing)" if text.isdigit() else ""
        raise UsageError(f"{text!r} is no duration{unit}; write 90s, 40m, 1h30m or 7d")
    return sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(text))
