"""GitHub Actions: the log of each task in a group of its own, printed when the task ends, so that logs never mix."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TextIO

from orchestrator.core.event import Event, Line, Listener, Phase, StateChanged
from orchestrator.report.findings.github import escape
from orchestrator.report.progress.plain import line
from orchestrator.report.progress.task import ENDED, Task
from orchestrator.report.screen import Screen


@contextmanager
def show(tasks: tuple[Task, ...], stream: TextIO, screen: Screen) -> Iterator[Listener]:  # noqa: ARG001
    """States as lines at once, everything else in groups in the order in which tasks end."""
    logs: dict[str, list[str]] = defaultdict(list)
    lock = Lock()

    def listen(event: Event) -> None:
        with lock:
            if isinstance(event, StateChanged):
                stream.write(_state(event, logs.pop(event.task, []) if event.phase in ENDED else []))
                stream.flush()
            elif text := line(event):
                logs[event.task].append(_harmless(text) if isinstance(event, Line) else text)

    yield listen


def _state(event: StateChanged, log: list[str]) -> str:
    head = f"{event.task} | {line(event)}\n"
    if not log:
        return head
    body = "".join(f"{text}\n" for text in log)
    annotation = f"::error title={event.task}::{escape(event.detail)}\n" if event.phase is Phase.FAILED else ""
    return f"::group::{event.task} {event.phase}\n{body}::endgroup::\n{annotation}{head}"


def _harmless(text: str) -> str:
    """A line of a build log that cannot be read as a workflow command."""
    return text.replace("::", ": :").replace("##[", "# #[")
