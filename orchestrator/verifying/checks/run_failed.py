"""MV701 run-failed."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Evidence
from orchestrator.verifying.running import judge

_LONGEST = 300


@check("MV701", "run-failed", Severity.ERROR)
def run_failed(evidence: Evidence) -> Iterator[Problem]:
    """A program of the image was started and failed.

    A command of the manifest (`verify.run`) has to end with 0 in time. The entry point has to start: that it goes on
    running or ends for lack of arguments is fine, an illegal instruction or `exec format error` is not.

    Run it by hand: `docker run --rm --platform PLATFORM --network none IMAGE@DIGEST`.
    """
    for run in evidence.runs:
        fault = judge(run).fault
        if fault:
            output = " ".join(run.outcome.output.split())[-_LONGEST:]
            yield Problem(fault, run.entry.label, cause=output)
