"""The targets of a bake file as buildx understands them: variables, functions, matrices and inheritance worked out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from orchestrator.buildx.process import PROCESSES, Call
from orchestrator.core.errors import UsageError

_SECONDS = 60
_LONGEST_REASON = 600


def printed_targets(path: Path, environment: Mapping[str, str]) -> str:
    """The JSON of all targets of a bake file, also of those that no group names.

    Raises UsageError with buildx's words for a file that is wrong, UnreachableError where docker is missing.
    """
    listed = _bake(path, environment, "--list", "type=targets,format=json")
    try:
        names = [str(entry["name"]) for entry in json.loads(listed) if not entry.get("group")]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(f"buildx did not list the targets of {path.name}", hint="docker buildx 0.22 can") from error
    if not names:
        raise UsageError(f"{path.name} has no target", hint="is it a bake file?")
    return _bake(path, environment, "--print", *names)


def _bake(path: Path, environment: Mapping[str, str], *arguments: str) -> str:
    """Bake reads paths relative to where it runs: the folder of the file."""
    argv = ("docker", "buildx", "bake", "--progress=quiet", f"--file={path.name}", *arguments)
    done = PROCESSES.run(Call(argv, environment, str(path.parent)), _SECONDS)
    if done.code:
        reason = " ".join(done.stderr.split("ERROR:")[-1].split())[:_LONGEST_REASON]
        raise UsageError(f"buildx cannot read {path.name}: {reason}", hint=f"docker buildx bake -f {path.name} --print")
    return done.stdout
