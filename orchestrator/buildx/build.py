"""One `docker buildx build` of one platform: its command line, its run, and what it gave."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from orchestrator.buildx.output import Output, comma_separated, output_value
from orchestrator.buildx.process import PROCESSES, Call, Processes, TimeLimitError
from orchestrator.buildx.progress import Progress, StepFailure
from orchestrator.core.errors import BuildError
from orchestrator.core.event import Listener
from orchestrator.core.fleet import Attest, Pairs, Secret
from orchestrator.core.platform import Platform
from orchestrator.core.reference import is_digest

_LONGEST_METADATA = 16 * 1024 * 1024
_SETTINGS = {"BUILDX_METADATA_PROVENANCE": "disabled", "BUILDX_METADATA_WARNINGS": "0", "DOCKER_CLI_HINTS": "false"}
"""Provenance in the metadata file was 444 KB for cloudnative-pg (postgres-containers#384); it is pushed anyway."""
_NO_CHOICE: Final = Attest()


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """What to build. `task` names it in events; `builder` is a buildx builder with one node.

    Values of secrets are never part of it: buildx reads them itself from the variable or file that is named.
    """

    task: str
    builder: str
    context: str
    dockerfile: str
    platform: Platform
    output: Output
    target: str = ""
    args: Pairs = ()
    labels: Pairs = ()
    annotations: Pairs = ()
    contexts: Pairs = ()
    secrets: tuple[Secret, ...] = ()
    ssh: tuple[str, ...] = ()
    cache_from: tuple[str, ...] = ()
    cache_to: tuple[str, ...] = ()
    attest: Attest = _NO_CHOICE
    no_cache: bool = False
    pull: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds that a build may take in all, and without any sign of life; 0.0 is no limit."""

    total: float = 0.0
    silence: float = 0.0


@dataclass(frozen=True, slots=True)
class Built:
    """What a build gave: the digest of an image, or of an index of the image and its attestations."""

    digest: str


class BuildFailedError(BuildError):
    """buildx ended with an error; `failure` says at which step."""

    def __init__(self, failure: StepFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class StalledError(BuildError):
    """A build gave no sign of life or took too long, and was stopped. `exported` is the digest it was to push."""

    def __init__(self, message: str, exported: str) -> None:
        super().__init__(message)
        self.exported = exported


@dataclass(frozen=True, slots=True)
class Buildx:
    """The door: runs builds with the environment of the user's docker configuration and logins."""

    environment: Mapping[str, str]
    processes: Processes = PROCESSES

    def build(self, request: BuildRequest, listener: Listener, limits: Limits) -> Built:
        """Build; raises BuildFailedError, StalledError, StoppedError, or UnreachableError without docker."""
        with tempfile.TemporaryDirectory(prefix="mabuild-") as folder:
            metadata = Path(folder) / "metadata.json"
            progress = Progress(request.task, listener)
            call = Call(tuple(arguments(request, str(metadata))), {**self.environment, **_SETTINGS})
            try:
                code = self.processes.stream(call, progress.feed, limits.total, lambda: progress.silent(limits.silence))
            except TimeLimitError as error:
                raise StalledError(error.message, progress.exported) from error
            if code:
                raise BuildFailedError(progress.failure())
            return _built(metadata, request)

    def stop(self) -> None:
        """Stop all builds, and start none any more."""
        self.processes.close()


def arguments(request: BuildRequest, metadata: str) -> Iterator[str]:
    """The command line of a build."""
    yield from ("docker", "buildx", "build", "--builder", request.builder, "--platform", str(request.platform))
    yield from ("--progress", "rawjson", "--metadata-file", metadata, "--output", output_value(request.output))
    yield from ("--file", request.dockerfile)
    if request.target:
        yield from ("--target", request.target)
    yield from _pairs("--build-arg", request.args)
    yield from _pairs("--label", request.labels)
    yield from _pairs("--annotation", request.annotations)
    yield from _pairs("--build-context", request.contexts)
    for secret in request.secrets:
        yield from ("--secret", _secret(secret))
    for agent in request.ssh:
        yield from ("--ssh", agent)
    for source in request.cache_from:
        yield from ("--cache-from", source)
    for goal in request.cache_to:
        yield from ("--cache-to", goal)
    yield from _attestations(request.attest)
    yield from (["--no-cache"] if request.no_cache else [])
    yield from (["--pull"] if request.pull else [])
    yield request.context


def _pairs(option: str, pairs: Pairs) -> Iterator[str]:
    for name, value in pairs:
        yield from (option, f"{name}={value}")


def _secret(secret: Secret) -> str:
    source = f"env={secret.env}" if secret.env else f"src={secret.file}"
    return comma_separated((f"id={secret.id}", source))


def _attestations(attest: Attest) -> Iterator[str]:
    yield "--provenance=false" if attest.provenance == "false" else f"--provenance=mode={attest.provenance}"
    yield f"--sbom={str(attest.sbom).lower()}"


def _built(metadata: Path, request: BuildRequest) -> Built:
    try:
        with metadata.open("rb") as file:
            found = json.loads(file.read(_LONGEST_METADATA))
    except (OSError, ValueError, RecursionError) as error:
        raise BuildError(f"buildx wrote no readable metadata for {request.task}: {error}") from error
    digest = str(found.get("containerimage.digest", "")) if isinstance(found, dict) else ""
    if not is_digest(digest):
        raise BuildError(
            f"buildx named no digest for {request.task}",
            hint=f"builder {request.builder} cannot hold images; use the containerd image store, or another driver",
        )
    return Built(digest)
