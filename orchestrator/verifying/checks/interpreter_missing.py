"""MV403 interpreter-missing."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.core.fleet import Level
from orchestrator.verifying.check import Problem, check, reaches
from orchestrator.verifying.entrypoint import Step
from orchestrator.verifying.evidence import Content, Evidence
from orchestrator.verifying.filesystem import FileMap
from orchestrator.verifying.foreign import binaries
from orchestrator.verifying.globs import matches

_LIBCS = (("ld-musl-", "musl"), ("ld-linux", "glibc"), ("ld64.so", "glibc"))


@check("MV403", "interpreter-missing", Severity.ERROR, Level.ENTRYPOINT)
def interpreter_missing(evidence: Evidence) -> Iterator[Problem]:
    """A program's loader, or the interpreter of a script, is not in the image.

    The kernel then says `no such file or directory` about a program that is plainly there. A binary of one C library
    in an image of another (built on Debian, run on Alpine) is the usual cause, and it may be so on one platform only.

    Link statically, or build against the C library of the final image.
    """
    for content in evidence.contents:
        for step in content.steps:
            yield from _of_step(content, step)
        if reaches(evidence.expectation.level, Level.FULL):
            yield from _of_others(content, evidence.expectation.ignore)


def _of_step(content: Content, step: Step) -> Iterator[Problem]:
    entry = content.entry
    severity = Severity.ERROR if step.is_certain and not step.is_health_check else Severity.WARNING
    if step.is_interpreter and step.reason:
        yield Problem(f"{step.role} cannot be executed: {step.reason}", entry.label, step.path, severity=severity)
    loader = step.linking.loader if step.linking else None
    if loader is None or loader.node is not None or step.binary is None:
        return
    wanted = step.binary.interpreter
    message = f"{step.path} needs the loader {wanted}, which is not in the image ({step.role})"
    yield Problem(message, entry.label, step.path, _flavours(content.files, wanted), severity)


def _of_others(content: Content, ignore: tuple[str, ...]) -> Iterator[Problem]:
    """Every other program, together for each loader that is missing."""
    executed = {step.found.path for step in content.steps}
    lacking: dict[str, list[str]] = {}
    for path, _, binary in binaries(content):
        node = content.files.get(path)
        if not binary.interpreter or path in executed or node is None or not node.is_executable:
            continue
        if content.entry.platform and not binary.suits(content.entry.platform):
            continue
        if content.files.find(binary.interpreter).node is None and not matches(path, ignore):
            lacking.setdefault(binary.interpreter, []).append(path)
    for wanted, paths in lacking.items():
        programs = f"/{paths[0]} needs" if len(paths) == 1 else f"{len(paths)} programs, such as /{min(paths)}, need"
        message = f"{programs} the loader {wanted}, which is not in the image"
        cause = _flavours(content.files, wanted)
        yield Problem(message, content.entry.label, f"/{min(paths)}", cause, Severity.WARNING)


def _flavours(files: FileMap, wanted: str) -> str:
    """Which C library the program was built for, and which one the image has."""
    name = wanted.rpartition("/")[2]
    needed = next((libc for prefix, libc in _LIBCS if name.startswith(prefix)), "")
    there = {libc for path in files.paths() for prefix, libc in _LIBCS if path.rpartition("/")[2].startswith(prefix)}
    if not needed or needed in there:
        return ""
    return f"it was built for {needed}, and the image has {' and '.join(sorted(there)) or 'no C library'}"
