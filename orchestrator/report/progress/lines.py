"""One JSON object a line, for machines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from threading import Lock
from typing import TextIO

from orchestrator.core.event import Event, Line, Listener, Notice, StateChanged, Step
from orchestrator.report.progress.task import Task
from orchestrator.report.screen import Screen

_KINDS: dict[type[Event], str] = {StateChanged: "state", Step: "step", Line: "line", Notice: "notice"}


@contextmanager
def show(tasks: tuple[Task, ...], stream: TextIO, screen: Screen) -> Iterator[Listener]:  # noqa: ARG001
    """Each event as `{"event": kind, "task": …}`."""
    lock = Lock()

    def listen(event: Event) -> None:
        text = json.dumps({"event": _KINDS[type(event)], **asdict(event)}, ensure_ascii=False)
        with lock:
            stream.write(f"{text}\n")
            stream.flush()

    yield listen
