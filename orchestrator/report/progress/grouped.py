"""CI logs: the log of each task in a group of its own, printed when the task ends, so that logs never mix."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TextIO

from orchestrator.core.event import Event, Line, Listener, Phase, StateChanged
from orchestrator.report.progress.plain import line
from orchestrator.report.progress.task import ENDED, Task
from orchestrator.report.screen import Screen


@dataclass(frozen=True, slots=True)
class Marks:
    """How a CI is told of groups. `begin` and `end` get a group's title, `error` the task and the reason.

    `harmless` changes a line of a build's log so that the CI does not take it for a mark or a command.
    """

    begin: Callable[[str], str]
    end: Callable[[str], str]
    error: Callable[[str, str], str]
    harmless: Callable[[str], str]


def grouped(marks: Marks) -> Callable[[tuple[Task, ...], TextIO, Screen], AbstractContextManager[Listener]]:
    """A way to show progress with these marks."""

    @contextmanager
    def show(tasks: tuple[Task, ...], stream: TextIO, screen: Screen) -> Iterator[Listener]:  # noqa: ARG001
        logs: dict[str, list[str]] = defaultdict(list)
        lock = Lock()

        def listen(event: Event) -> None:
            with lock:
                if isinstance(event, StateChanged):
                    stream.write(_state(event, logs.pop(event.task, []) if event.phase in ENDED else [], marks))
                    stream.flush()
                elif text := line(event):
                    logs[event.task].append(marks.harmless(text) if isinstance(event, Line) else text)

        yield listen

    return show


def _state(event: StateChanged, log: list[str], marks: Marks) -> str:
    head = f"{event.task} | {line(event)}\n"
    if not log:
        return head
    title = f"{event.task} {event.phase}"
    body = "".join(f"{text}\n" for text in log)
    error = marks.error(event.task, event.detail) if event.phase is Phase.FAILED else ""
    return f"{marks.begin(title)}{body}{marks.end(title)}{error}{head}"
