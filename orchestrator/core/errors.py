"""Every error that a user can cause or meet: a message, a hint with the next step, and the exit code."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from orchestrator.core.finding import Finding


class Exit(IntEnum):
    """The exit codes of every command."""

    OK = 0
    BAD = 1
    USAGE = 2
    NO_PLAN = 3
    UNREACHABLE = 4
    INCOMPLETE = 5
    FAULT = 70
    INTERRUPTED = 130


class MabuildError(Exception):
    """Something that is told to the user in one line, with a hint below it."""

    exit_code: ClassVar[Exit] = Exit.BAD

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(MabuildError):
    """The call itself is wrong."""

    exit_code = Exit.USAGE


class ManifestError(MabuildError):
    """One or several mistakes in manifests, all reported together."""

    exit_code = Exit.USAGE

    def __init__(self, findings: tuple[Finding, ...], *, hint: str = "") -> None:
        super().__init__(f"{len(findings)} mistake(s) in the manifest", hint=hint)
        self.findings = findings


class DockerfileError(MabuildError):
    """A Dockerfile that cannot be read or parsed."""

    exit_code = Exit.USAGE

    def __init__(self, message: str, *, path: str, line: int, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.path = path
        self.line = line

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


class PlanError(MabuildError):
    """No plan is possible: a base image lacks a platform, a policy forbids emulation, no node can build."""

    exit_code = Exit.NO_PLAN

    def __init__(self, message: str, *, findings: tuple[Finding, ...] = (), hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.findings = findings


class UnreachableError(MabuildError):
    """Docker, buildx, a node or a registry is not there, does not answer, or refuses the login."""

    exit_code = Exit.UNREACHABLE


class BuildError(MabuildError):
    """A cell could not be built or an index could not be published."""

    exit_code = Exit.BAD
