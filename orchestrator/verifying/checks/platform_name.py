"""MV106 platform-name."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.core.platform import KNOWN_ARCHITECTURES, KNOWN_SYSTEMS, Platform
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Entry, Evidence, short
from orchestrator.verifying.written import written_parts

_MORE_ARCHITECTURES = frozenset({"armbe", "arm64be", "mips64p32", "ppc", "riscv", "s390", "sparc", "sparc64"})
_MORE_SYSTEMS = frozenset({"dragonfly", "hurd", "illumos", "ios", "js", "nacl", "plan9", "zos", "wasip1"})


@check("MV106", "platform-name", Severity.ERROR)
def platform_name(evidence: Evidence) -> Iterator[Problem]:
    """An entry's platform is not written as GOOS and GOARCH write it.

    `aarch64`, `x86_64`, `ARM64`, `linux/arm64v8` or an empty name: containerd repairs some of these, podman, crane and
    the rest compare the text and find no match. `unknown/unknown` without BuildKit's annotation is an entry that no
    client ever takes.

    Write `amd64`, `arm64`, `arm` with a variant, in lower case.
    """
    for entry in evidence.images:
        if entry.descriptor.platform is not None:
            system, architecture, _ = written_parts(entry)
            yield from _problems(entry, system, architecture)


def _problems(entry: Entry, system: str, architecture: str) -> Iterator[Problem]:
    name = f"{system or '(empty)'}/{architecture or '(empty)'}"
    if (system, architecture) == ("unknown", "unknown"):
        message = f"the entry {short(entry.descriptor.digest)} is for unknown/unknown, and no client takes it"
        yield Problem(message, platform=entry.label, severity=Severity.WARNING)
        return
    if architecture in KNOWN_ARCHITECTURES | _MORE_ARCHITECTURES and system in KNOWN_SYSTEMS | _MORE_SYSTEMS:
        return
    right = Platform(system or "linux", architecture)
    meant = f"; write {right}" if right.architecture in KNOWN_ARCHITECTURES and right.os in KNOWN_SYSTEMS else ""
    message = f"the entry {short(entry.descriptor.digest)} is for {name}, which clients do not know{meant}"
    yield Problem(message, platform=entry.label)
