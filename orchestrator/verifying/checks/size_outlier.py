"""MV603 size-outlier."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from orchestrator.core.finding import Severity
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Entry, Evidence

_NOTABLE, _STRIKING = 2.0, 4.0
_LEAST_DIFFERENCE = 8 << 20


@check("MV603", "size-outlier", Severity.WARNING)
def size_outlier(evidence: Evidence) -> Iterator[Problem]:
    """One platform is several times larger or smaller than the others.

    Something is missing on the smaller one, was built with debug information on the larger one, or a step was skipped
    for one architecture. Differences under 8 MiB are not reported.

    Compare the platforms' files (level `full` lists what exists on one only).
    """
    sizes = {id(entry): _size(entry) for entry in evidence.images}
    for entry in evidence.images:
        others = [sizes[id(other)] for other in evidence.images if other is not entry and _same_system(other, entry)]
        own = sizes[id(entry)]
        if not others or not own or not all(others):
            continue
        middle = median(others)
        ratio = max(own, middle) / min(own, middle)
        if ratio < _NOTABLE or abs(own - middle) < _LEAST_DIFFERENCE:
            continue
        direction = "larger" if own > middle else "smaller"
        message = (
            f"{own / 2**20:.0f} MiB are {ratio:.1f} times {direction} than the {middle / 2**20:.0f} MiB of the others"
        )
        yield Problem(message, entry.label, severity=Severity.WARNING if ratio >= _STRIKING else Severity.NOTE)


def _size(entry: Entry) -> int:
    return sum(layer.size for layer in entry.layers if layer.size > 0)


def _same_system(one: Entry, other: Entry) -> bool:
    return one.platform is not None and other.platform is not None and one.platform.os == other.platform.os
