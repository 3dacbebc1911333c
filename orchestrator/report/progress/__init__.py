"""Ways to show a running build: one module each, listed once here. Each gives a context that listens to events."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final, TextIO

from orchestrator.core.event import Listener
from orchestrator.report.progress import azure, board, buildkite, github, gitlab, lines, plain, quiet
from orchestrator.report.progress.task import Task
from orchestrator.report.screen import Screen

Progress = Callable[[tuple[Task, ...], TextIO, Screen], AbstractContextManager[Listener]]

PROGRESS: Final[dict[str, Progress]] = {
    "rich": board.show,
    "plain": plain.show,
    "json": lines.show,
    "github": github.show,
    "gitlab": gitlab.show,
    "azure": azure.show,
    "buildkite": buildkite.show,
    "quiet": quiet.show,
}
