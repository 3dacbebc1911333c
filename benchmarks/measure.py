"""Timing whole commands side by side: each round runs every command once, so that noise hits all of them alike."""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timing:
    """Wall times of one command in seconds."""

    name: str
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median of all rounds."""
        return statistics.median(self.seconds)


def side_by_side(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, Timing]:
    """Run all commands in turn, `rounds` times after one round to warm up; a command that fails is an error."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            began = time.perf_counter()
            subprocess.run(list(command), check=True, capture_output=True)
            if number:
                taken[name].append(time.perf_counter() - began)
    return {name: Timing(name, tuple(values)) for name, values in taken.items()}


def ratio(timings: Mapping[str, Timing], one: str, other: str) -> str:
    """`0.081 s, 0.80 x docker buildx version (0.101 s)`."""
    first, second = timings[one].median, timings[other].median
    return f"{one}: {first:.3f} s, {first / second:.2f} x {other} ({second:.3f} s)"
