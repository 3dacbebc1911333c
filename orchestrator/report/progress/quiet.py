"""Nothing at all while it runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from orchestrator.core.event import Event, Listener
from orchestrator.report.progress.task import Task
from orchestrator.report.screen import Screen


@contextmanager
def show(tasks: tuple[Task, ...], stream: TextIO, screen: Screen) -> Iterator[Listener]:  # noqa: ARG001
    """Listens and says nothing."""

    def listen(event: Event) -> None:  # noqa: ARG001
        return None

    yield listen
