"""MV405 instruction-set-level."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.core.fleet import Level
from orchestrator.core.platform import Platform
from orchestrator.verifying.binary import Binary
from orchestrator.verifying.check import Problem, check, reaches
from orchestrator.verifying.evidence import Content, Evidence
from orchestrator.verifying.foreign import binaries
from orchestrator.verifying.globs import matches

_CHOSEN_AT_RUN_TIME = ("**/glibc-hwcaps/**", "**/haswell/**", "**/avx512_1/**", "**/tls/**")


@check("MV405", "instruction-set-level", Severity.ERROR, Level.ENTRYPOINT)
def instruction_set_level(evidence: Evidence) -> Iterator[Problem]:
    """A program needs a newer CPU than the list's platform promises.

    `linux/amd64` without a variant is for every x86-64 CPU, `linux/arm/v6` for every ARMv6. A Go program built with
    GOAMD64=v3 or GOARM=7 stops at its start on older ones, others die with `illegal instruction`. For the program that
    is executed it is an error, for libraries (a base image for x86-64-v2 or -v3) and other files a warning.

    Build for the baseline, or publish the platform with its variant (`linux/amd64/v3`).
    """
    for content in evidence.contents:
        platform = content.entry.platform
        if platform is not None:
            yield from _of_steps(content, platform)
            if reaches(evidence.expectation.level, Level.FULL):
                yield from _of_others(content, platform, evidence.expectation.ignore)


def _of_steps(content: Content, platform: Platform) -> Iterator[Problem]:
    libraries: dict[str, str] = {}
    for step in content.steps:
        needed = excess(step.binary, platform) if step.binary else ""
        if needed:
            message = f"{step.path} needs {needed}, the list promises {platform} ({step.role})"
            yield Problem(message, content.entry.label, step.path)
        for library in step.linking.libraries if step.linking else ():
            if needed := excess(library.binary, platform):
                libraries[library.path] = needed
    if libraries:
        path, needed = next(iter(libraries.items()))
        loaded = f"{len(libraries)} libraries that are loaded, such as /{path}, need {needed}"
        message = f"{loaded}; the list promises {platform}"
        yield Problem(message, content.entry.label, f"/{path}", severity=Severity.WARNING)


def _of_others(content: Content, platform: Platform, ignore: tuple[str, ...]) -> Iterator[Problem]:
    known = {step.found.path for step in content.steps}
    known |= {one.path for step in content.steps if step.linking for one in step.linking.libraries}
    skipped = (*_CHOSEN_AT_RUN_TIME, *ignore)
    found: dict[str, list[str]] = {}
    for path, _, binary in binaries(content):
        if path not in known and (needed := excess(binary, platform)) and not matches(path, skipped):
            found.setdefault(needed, []).append(path)
    for needed, paths in found.items():
        files = f"/{paths[0]} needs" if len(paths) == 1 else f"{len(paths)} files, such as /{min(paths)}, need"
        message = f"{files} {needed}, the list promises {platform}"
        yield Problem(message, content.entry.label, f"/{min(paths)}", severity=Severity.WARNING)


def excess(binary: Binary, platform: Platform) -> str:
    """What a file needs beyond a platform; empty where it fits, or is for another architecture anyway."""
    if not binary.suits(platform):
        return ""
    match platform.architecture:
        case "amd64":
            needed = max(binary.level, _digit(binary.setting("GOAMD64")))
            return f"x86-64-v{needed}" if needed > max(1, _digit(platform.variant)) else ""
        case "arm":
            needed = max(binary.arm, _digit(binary.setting("GOARM")))
            return f"ARMv{needed}" if needed > _digit(platform.variant or "v7") else ""
        case "arm64":
            needed = _digit(binary.setting("GOARM64"))
            return f"ARMv{needed}" if needed > max(8, _digit(platform.variant)) else ""
        case _:
            return ""


def _digit(text: str) -> int:
    """The number in `v3`, `7` or `v8.1,lse`; 0 where there is none."""
    first = text.removeprefix("v")[:1]
    return int(first) if first.isdigit() else 0
