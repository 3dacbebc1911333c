"""MV702 run-proves-nothing."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Evidence
from orchestrator.verifying.running import doubt, judge


@check("MV702", "run-proves-nothing", Severity.WARNING)
def run_proves_nothing(evidence: Evidence) -> Iterator[Problem]:
    """A program ran well, but that says nothing about its platform.

    An engine on amd64 executes an amd64 binary in an arm64 image without a word, so a wrong image passes every smoke
    test on the machine that built it. A run counts only where the binaries were looked at and are of the platform.

    Verify at level `entrypoint` or `full`.
    """
    for run in evidence.runs:
        reason = doubt(evidence, run) if judge(run).sentence else ""
        if reason:
            yield Problem(f"{judge(run).sentence}, which proves nothing: {reason}", run.entry.label)
