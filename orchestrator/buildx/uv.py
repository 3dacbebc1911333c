"""Asks uv, where it is installed, for the files of Python releases, over the indexes that it is set up with."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from orchestrator.buildx.process import PROCESSES, Call, Completed

_SECONDS = 120.0
_NEVER = {"UV_PYTHON_DOWNLOADS": "never", "UV_NO_PROGRESS": "1", "NO_COLOR": "1"}


def find_uv(environment: Mapping[str, str]) -> str:
    """The uv on the PATH, or beside this Python; empty where there is none."""
    beside = Path(sys.executable).parent / "uv"
    return shutil.which("uv", path=environment.get("PATH", "")) or (str(beside) if beside.is_file() else "")


def locked(
    uv: str, requirements: Iterable[str], python: str, environment: Mapping[str, str], static: Iterable[str]
) -> Completed:
    """A lock in the form of pylock.toml with all files of the requirements on all platforms.

    Nothing is built and no code of a package runs: `static` names the distributions whose dependencies do
    not matter, and without it only wheels are read. `environment` is uv's own: logins stand there, not in the call.
    """
    static = tuple(static)
    with TemporaryDirectory(prefix="mabuild-") as folder:
        own = Path(folder) / "uv.toml"
        own.write_text("".join(_without_dependencies(name) for name in static), encoding="utf-8")
        kind = ("--no-deps", "--config-file", str(own)) if static else ("--no-build",)
        target = ("--universal", "--python-version", python, "--python", sys.executable)
        argv = (uv, "pip", "compile", *kind, *target, "--format", "pylock.toml", "--no-header", "--quiet", "-")
        call = Call(argv, {**environment, **_NEVER}, folder, _text(requirements))
        return PROCESSES.run(call, _SECONDS)


def _text(requirements: Iterable[str]) -> bytes:
    return "".join(f"{one}\n" for one in requirements).encode()


def _without_dependencies(name: str) -> str:
    return f'[[dependency-metadata]]\nname = "{name}"\nrequires-dist = []\n\n'
