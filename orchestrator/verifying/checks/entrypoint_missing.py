"""MV404 entrypoint-missing."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Confidence, Severity
from orchestrator.core.fleet import Level
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.entrypoint import Step
from orchestrator.verifying.evidence import Content, Evidence


@check("MV404", "entrypoint-missing", Severity.ERROR, Level.ENTRYPOINT)
def entrypoint_missing(evidence: Evidence) -> Iterator[Problem]:
    """What the container should execute is not in the image, or may not be executed.

    The program is looked for as a runtime does it: in PATH or from the working directory, through links, without
    leaving the image. A COPY that took nothing on one platform, a link that points nowhere, a script without the right
    to be executed. A health check that cannot run is a warning, and so is a program that only a script names.

    Put the program there on every platform, with its execute bit.
    """
    for content in evidence.contents:
        if not content.steps and content.entry.config and not content.unread:
            message = "the image names neither an entry point nor a command"
            yield Problem(message, content.entry.label, severity=Severity.NOTE)
        for step in content.steps:
            if step.reason and not step.is_interpreter:
                yield _problem(content, step)


def _problem(content: Content, step: Step) -> Problem:
    certain = step.is_certain and not step.is_health_check
    return Problem(
        f"{step.role}, {step.name}, cannot be executed: {step.reason}",
        content.entry.label,
        step.path,
        severity=Severity.ERROR if certain else Severity.WARNING,
        confidence=Confidence.HIGH if step.is_certain else Confidence.LOW,
    )
