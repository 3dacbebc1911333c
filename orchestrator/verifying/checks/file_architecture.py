"""MV402 file-architecture."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.core.fleet import Level
from orchestrator.verifying.blame import BASE
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Content, Evidence
from orchestrator.verifying.foreign import Group, foreign_files
from orchestrator.verifying.origin import cause_of, made_by
from orchestrator.verifying.wheels import Wheel, foreign_wheels, wheels_of

_SHOWN = 3


@check("MV402", "file-architecture", Severity.ERROR, Level.FULL)
def file_architecture(evidence: Evidence) -> Iterator[Problem]:
    """Binaries or shared objects in the image are for another architecture.

    They fail when they are first used, often long after the container reports itself healthy: a Python wheel of the
    build machine, a helper that was downloaded for amd64, a whole base image of the wrong platform. All files with one
    cause are one finding. Emulators, firmware, BPF, test data and files for other platforms beside the right one are
    exempt (`-v` lists them); `verify.ignore` in the manifest adds to that.

    Build the layer that is named again for its own platform.
    """
    for content in evidence.contents:
        reported = {
            step.found.path
            for step in content.steps
            if step.binary and content.entry.platform and not step.binary.suits(content.entry.platform)
        }
        groups = foreign_files(content, evidence.expectation.ignore).groups
        wheels = foreign_wheels(content) if groups else ()
        for group in groups:
            if not reported.issuperset(group.paths):
                yield _problem(evidence, content, group, wheels_of(group.paths, wheels))


def _problem(evidence: Evidence, content: Content, group: Group, wheels: tuple[Wheel, ...]) -> Problem:
    entry = content.entry
    wanted = entry.platform.architecture if entry.platform else ""
    shown = ", ".join(f"/{path}" for path in group.paths[:_SHOWN]) + (", …" if len(group.paths) > _SHOWN else "")
    count = len(group.paths)
    files = "1 file is" if count == 1 else f"{count} files are"
    whole = f" (of {group.binaries} binaries there)" if count > 1 else ""
    message = f"{files} for {group.architecture}, not for {wanted}{whole}: {shown}"
    cause = cause_of(evidence, entry, group.layers, is_base=group.is_base)
    if wheels:
        named = ", ".join(f"{one.name} ({one.tag})" for one in wheels[:_SHOWN]) + (
            ", …" if len(wheels) > _SHOWN else ""
        )
        cause = f"{cause}; Python wheels for another platform: {named}"
    severity = Severity.WARNING if group.is_prebuilt else Severity.ERROR
    step = BASE if group.is_base and len(entry.layers) > 1 else made_by(entry, group.layers[0])
    return Problem(message, entry.label, f"/{group.paths[0]}", cause, severity, made_by=step)
