"""Plain prefixed lines, for logs and pipes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TextIO

from orchestrator.core.event import Event, Line, Listener, Notice, StateChanged, Step
from orchestrator.report.progress.task import Task
from orchestrator.report.screen import Screen


@contextmanager
def show(tasks: tuple[Task, ...], stream: TextIO, screen: Screen) -> Iterator[Listener]:  # noqa: ARG001
    """One line an event, each with the name of its task in front."""
    width = max((len(task.name) for task in tasks), default=0)
    lock = Lock()

    def listen(event: Event) -> None:
        text = line(event)
        if text:
            with lock:
                stream.write(f"{event.task:<{width}} | {text}\n")
                stream.flush()

    yield listen


def line(event: Event) -> str:
    """What a line says of an event; empty for what needs no line."""
    match event:
        case StateChanged(phase=phase, detail=detail):
            return f"{phase.value}{f': {detail}' if detail else ''}"
        case Step(done=True, cached=True, number=number, name=name):
            return f"{name} (cached)" if number else ""
        case Step(done=False, name=name):
            return name
        case Step():
            return ""
        case Line(text=text):
            return f"  {text}"
        case Notice(text=text):
            return text
