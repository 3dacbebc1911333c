"""MV401 entrypoint-architecture."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.core.fleet import Level
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.entrypoint import Step
from orchestrator.verifying.evidence import Content, Evidence
from orchestrator.verifying.globs import matches
from orchestrator.verifying.origin import cause_of, made_by


@check("MV401", "entrypoint-architecture", Severity.ERROR, Level.ENTRYPOINT)
def entrypoint_architecture(evidence: Evidence) -> Iterator[Problem]:
    """What the container executes is a binary of another architecture, or no program at all.

    The container fails with `exec format error`; where an emulator is registered it starts all the same, slowly, and
    nobody notices. The cause is nearly always a download or a compiler whose architecture is written out.

    Use TARGETARCH in the Dockerfile (`mabuild audit` finds and mends the place), and build again.
    """
    for content in evidence.contents:
        for step in content.steps:
            problem = _problem(evidence, content, step)
            if problem is not None and not matches(step.found.path, evidence.expectation.ignore):
                yield problem


def _problem(evidence: Evidence, content: Content, step: Step) -> Problem | None:
    platform, binary = content.entry.platform, step.binary
    if platform is None or step.found.node is None or step.reason:
        return None
    cause = cause_of(evidence, content.entry, (step.found.layer,), is_base=False) if step.found.layer >= 0 else ""
    step_made_by = made_by(content.entry, step.found.layer)
    if binary is not None and not binary.suits(platform):
        message = f"{step.path} is a program for {binary.architecture}, not for {platform.architecture} ({step.role})"
        return Problem(message, content.entry.label, step.path, cause, made_by=step_made_by)
    is_alone = step.role in ("the entry point", "the command")
    if binary is None and step.found.node.detail is None and is_alone:
        what = "is empty" if not step.found.node.size else "is neither an ELF program nor a script with a `#!` line"
        message = f"{step.path} {what} ({step.role})"
        return Problem(message, content.entry.label, step.path, cause, made_by=step_made_by)
    return None
