"""Calls of the command line inside this process, in a folder of the test's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from orchestrator.cli import run
from orchestrator.commands.session import Session


@dataclass(frozen=True, slots=True)
class Called:
    """How a call ended."""

    code: int
    out: str
    err: str


def call(directory: Path, *arguments: str, environment: Mapping[str, str] = {}) -> Called:
    """Call mabuild; only the variables that the test names are set."""
    out, err = StringIO(), StringIO()
    code = run(arguments, Session({"HOME": "/nonexistent", **environment}, directory, out, err))
    return Called(code, out.getvalue(), err.getvalue())


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files by their paths in a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
