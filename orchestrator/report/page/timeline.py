"""When each task ran, listened from the events of a build."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from orchestrator.core.event import Event, Listener, StateChanged
from orchestrator.report.progress.task import ENDED, RUNNING


@dataclass(frozen=True, slots=True)
class Span:
    """A task from its first running state to its end, in seconds since the build began."""

    task: str
    began: float
    ended: float


@dataclass(slots=True)
class Timeline:
    """Hears events from any thread, and passes them on."""

    clock: Callable[[], float]
    start: float = field(init=False)
    _began: dict[str, float] = field(default_factory=dict)
    _ended: dict[str, float] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self.start = self.clock()

    def before(self, listener: Listener) -> Listener:
        """A listener that notes times and then tells the other one."""

        def listen(event: Event) -> None:
            if isinstance(event, StateChanged):
                self._note(event)
            listener(event)

        return listen

    def _note(self, event: StateChanged) -> None:
        now = self.clock() - self.start
        with self._lock:
            if event.phase in RUNNING:
                self._began.setdefault(event.task, now)
            elif event.phase in ENDED:
                self._ended[event.task] = now

    def spans(self) -> tuple[Span, ...]:
        """The tasks that ran, in the order in which they began."""
        with self._lock:
            found = [Span(task, began, self._ended.get(task, began)) for task, began in self._began.items()]
        return tuple(sorted(found, key=lambda span: (span.began, span.task)))
