"""MV304 built-under-emulation."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Confidence, Severity
from orchestrator.core.fleet import Level
from orchestrator.core.plan import Mode
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Evidence
from orchestrator.verifying.provenance import build_mode, platform_of


@check("MV304", "built-under-emulation", Severity.NOTE, Level.EXIST)
def built_under_emulation(evidence: Evidence) -> Iterator[Problem]:
    """The provenance names a builder of another architecture: the image was built under emulation, or cross-compiled.

    Emulated builds take several times as long, and a few compilers and test suites give other results under qemu.
    Provenance with mode=max tells emulation from cross-compilation; without it this is only a hint.

    Give the build a native node, or cross-compile on `--platform=$BUILDPLATFORM`.
    """
    for entry in evidence.images:
        statement = evidence.provenance_of(entry.descriptor.digest)
        if statement is None or entry.platform is None:
            continue
        mode, builder = build_mode(statement, entry.platform), platform_of(statement.builder)
        if mode == Mode.EMULATED:
            yield Problem(f"built under emulation on {builder}", platform=entry.label)
        elif builder is not None and not mode:
            message = f"built on {builder}: under emulation, or cross-compiled (its provenance does not say which)"
            yield Problem(message, platform=entry.label, confidence=Confidence.LOW)
