"""Starts a command of an image through the engine: no network, little memory, a time limit, nothing left."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.buildx.process import TimeLimitError, run
from orchestrator.core.errors import MabuildError, UnreachableError
from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference

_LIMITS = ("--network=none", "--memory=512m", "--pids-limit=256", "--cap-drop=ALL", "--security-opt=no-new-privileges")
_PULL_SECONDS = 600.0
_LAST = 2000
_ENGINE_FAILED = 125
"""The exit code of `docker run` where the engine itself could not start the container (docker run reference)."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a container ended; `error` says why the engine could not start it."""

    exit_code: int = 0
    output: str = ""
    timed_out: bool = False
    error: str = ""


def run_image(
    reference: Reference, platform: Platform, command: tuple[str, ...], environment: Mapping[str, str], seconds: float
) -> Ended:
    """Run a command, or the entry point where there is none, and wait for at most so many seconds."""
    image = str(reference)
    pulled = run(("docker", "pull", "--quiet", f"--platform={platform}", image), _PULL_SECONDS, environment=environment)
    if pulled.code:
        raise UnreachableError(f"the engine cannot pull {image}: {_last_line(pulled.stderr)}")
    name = f"mabuild-{uuid.uuid4().hex}"
    entrypoint = (f"--entrypoint={command[0]}",) if command else ()
    argv = ("docker", "run", f"--name={name}", f"--platform={platform}", *_LIMITS, *entrypoint, image, *command[1:])
    try:
        done = run(argv, seconds, environment=environment)
    except TimeLimitError:
        return Ended(timed_out=True)
    finally:
        _remove(name, environment)
    output = (done.stdout + done.stderr)[-_LAST:]
    if done.code == _ENGINE_FAILED:
        return Ended(error=_last_line(output))
    return Ended(done.code, output)


def _remove(name: str, environment: Mapping[str, str]) -> None:
    try:
        run(("docker", "rm", "--force", name), 30.0, environment=environment)
    except MabuildError:
        return


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("Run 'docker")]
    return lines[-1].strip() if lines else "it said nothing"
