"""The surroundings of a call as one value: environment, folder and streams, handed to every command."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, cast

import typer

from orchestrator.core.errors import UsageError
from orchestrator.report.screen import Screen

_CI_VARIABLES = {
    "GITHUB_ACTIONS": "github",
    "GITLAB_CI": "gitlab",
    "BUILDKITE": "buildkite",
    "TF_BUILD": "azure",
    "JENKINS_URL": "jenkins",
    "CI": "another",
}
_PIPE_WIDTH = 120


@dataclass(frozen=True, slots=True)
class Session:
    """What a command may know of the world, apart from its options."""

    environment: Mapping[str, str]
    directory: Path
    stdout: TextIO
    stderr: TextIO
    color: bool | None = None

    @property
    def in_ci(self) -> bool:
        """Whether this runs in a CI job."""
        return bool(self.ci)

    @property
    def ci(self) -> str:
        """The CI whose job this is, "another" for one that only says that it is one; empty outside of any."""
        found = (name for variable, name in _CI_VARIABLES.items() if _is_set(self.environment.get(variable, "")))
        return next(found, "")

    @property
    def in_github_actions(self) -> bool:
        """Whether this runs in a GitHub Actions job."""
        return self.environment.get("GITHUB_ACTIONS") == "true"

    @property
    def temporary_directory(self) -> Path:
        """Where the report of a fault goes."""
        return Path(self.environment.get("TMPDIR") or tempfile.gettempdir())

    @property
    def cache_directory(self) -> Path:
        """Where answers that may be lost are remembered: `MABUILD_CACHE`, or mabuild's folder in the user's cache."""
        chosen = self.environment.get("MABUILD_CACHE")
        if chosen:
            return Path(chosen)
        home = self.environment.get("XDG_CACHE_HOME") or str(Path(self.environment.get("HOME", "~")) / ".cache")
        return Path(home).expanduser() / "mabuild"

    def screen(self, stream: TextIO) -> Screen:
        """Width and colours for one of the two streams (`NO_COLOR` and `--color` heeded)."""
        terminal = stream.isatty() and self.environment.get("TERM") != "dumb"
        columns = self.environment.get("COLUMNS", "")
        width = int(columns) if columns.isdigit() and int(columns) > 0 else 0
        if not width:
            width = shutil.get_terminal_size((_PIPE_WIDTH, 24)).columns if terminal else _PIPE_WIDTH
        colored = terminal and not self.environment.get("NO_COLOR")
        return Screen(width, self.color if self.color is not None else colored, terminal and not self.in_ci)

    def write(self, text: str, output: str = "") -> None:
        """Data: to stdout, or to the file that the user named. A reader that went away (`| head`) is no trouble."""
        try:
            if output:
                (self.directory / output).write_text(text, encoding="utf-8")
            else:
                self.stdout.write(text)
                self.stdout.flush()
        except OSError as error:
            if not output:
                os.dup2(os.open(os.devnull, os.O_WRONLY), self.stdout.fileno())  # Python flushes once more at its end
            if not isinstance(error, BrokenPipeError):
                raise UsageError(f"cannot write {output or 'to stdout'}: {error.strerror}") from error

    def say(self, text: str) -> None:
        """Everything that is no data: to stderr."""
        self.stderr.write(text)
        self.stderr.flush()


def _is_set(text: str) -> bool:
    return text.lower() not in {"", "0", "false"}


def session(ctx: typer.Context, *, color: bool | None = None) -> Session:
    """The session of this call, with the user's word on colours."""
    found = cast("Session", ctx.find_root().obj)
    return Session(found.environment, found.directory, found.stdout, found.stderr, color)
