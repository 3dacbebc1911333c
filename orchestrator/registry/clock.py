"""Time as a value, so that tests of pauses do not have to wait."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds that only go forward, seconds since 1970, and waiting."""

    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep


CLOCK = Clock()
