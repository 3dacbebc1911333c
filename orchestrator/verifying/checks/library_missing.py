"""MV407 library-missing."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.core.fleet import Level
from orchestrator.verifying.check import Problem, check, reaches
from orchestrator.verifying.entrypoint import Step
from orchestrator.verifying.evidence import Content, Evidence
from orchestrator.verifying.foreign import binaries
from orchestrator.verifying.globs import matches
from orchestrator.verifying.libraries import Linker


@check("MV407", "library-missing", Severity.ERROR, Level.ENTRYPOINT)
def library_missing(evidence: Evidence) -> Iterator[Problem]:
    """A shared library that a program needs is not where its loader looks, or only for another architecture.

    The program stops at its start with `cannot open shared object file`. The loader's own rules are followed: RUNPATH,
    LD_LIBRARY_PATH, ld.so.conf, the system's directories. For programs that nothing executes it is a note.

    Install the library in the final stage for every platform; copy whole packages rather than single files.
    """
    for content in evidence.contents:
        for step in content.steps:
            yield from _of_step(content, step)
        if reaches(evidence.expectation.level, Level.FULL):
            yield from _of_others(content, evidence.expectation.ignore)


def _of_step(content: Content, step: Step) -> Iterator[Problem]:
    entry = content.entry
    if step.linking is None or not step.linking.missing:
        return
    if entry.platform and step.binary and not step.binary.suits(entry.platform):
        return
    names = ", ".join(step.linking.missing[:5])
    foreign = [f"/{one.path} is for {one.binary.architecture}" for one in step.linking.foreign]
    severity = Severity.ERROR if step.is_certain and not step.is_health_check else Severity.WARNING
    message = f"{step.path} needs {names}, which its loader does not find ({step.role})"
    yield Problem(message, entry.label, step.path, "; ".join(foreign[:3]), severity)


def _of_others(content: Content, ignore: tuple[str, ...]) -> Iterator[Problem]:
    executed = {step.found.path for step in content.steps}
    linker = Linker(content.files, dict(content.entry.config.environment) if content.entry.config else {})
    lacking: dict[str, list[str]] = {}
    for path, _, binary in binaries(content):
        node = content.files.get(path)
        is_program = binary.interpreter and node is not None and node.is_executable
        if not is_program or path in executed or matches(path, ignore):
            continue
        if content.entry.platform is None or not binary.suits(content.entry.platform):
            continue
        for name in linker.missing(path, binary):
            lacking.setdefault(name, []).append(path)
    for name, paths in sorted(lacking.items()):
        programs = f"/{paths[0]} needs" if len(paths) == 1 else f"{len(paths)} programs, such as /{min(paths)}, need"
        message = f"{programs} {name}, which the loader does not find"
        yield Problem(message, content.entry.label, f"/{min(paths)}", severity=Severity.NOTE)
