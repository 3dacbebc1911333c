"""BuildKit's raw progress (`--progress rawjson`) as events, and what is told of the step that failed."""

from __future__ import annotations

import base64
import binascii
import json
import re
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from orchestrator.core.event import Event, Line, Listener, Notice, Step

_LAST_LINES = 30
_LONGEST_LINE = 2_000
_MOST_STEPS = 20_000
_NUMBERED = re.compile(r"\[(?:[^\]]* )?\d+/\d+\] ")
_CANCELLED = re.compile(r"context canceled|^Canceled:|code = Canceled")
_EXPORTED = re.compile(r"exporting manifest (?:list )?(sha256:[0-9a-f]{64})")
_RULE = "--------------------"
_LAST_WORDS = re.compile(r"ERROR: (?:failed to build: )?(?:failed to solve: )?")


@dataclass(frozen=True, slots=True)
class StepFailure:
    """The step that failed: its name and error, its last lines of output, and its lines in the Dockerfile."""

    name: str
    message: str
    log: tuple[str, ...] = ()
    source: tuple[str, ...] = ()


@dataclass(slots=True)
class _Vertex:
    name: str
    number: int = 0
    started: bool = False
    completed: bool = False
    error: str = ""
    log: deque[str] = field(default_factory=lambda: deque(maxlen=_LAST_LINES))
    rest: str = ""


class Progress:
    """Takes the lines of one build and tells a listener what happens.

    `heard` is the reading of `clock` at the last sign of life; `exported` is the digest of the image, or of the list
    with its attestations, once BuildKit has named it (it does so before it pushes).
    """

    def __init__(self, task: str, listener: Listener, clock: Callable[[], float] = time.monotonic) -> None:
        self._task = task
        self._listener = listener
        self._clock = clock
        self._vertexes: dict[str, _Vertex] = {}
        self._started = 0
        self._plain: deque[str] = deque(maxlen=100)
        self.heard = clock()
        self.exported = ""

    def feed(self, line: str) -> None:
        """Take in one line; what is no JSON is kept as plain words of buildx."""
        self.heard = self._clock()
        status = _parsed(line)
        if status is None:
            self._plain.append(line[:_LONGEST_LINE])
            return
        for entry in _objects(status, "vertexes"):
            self._vertex(entry)
        for entry in _objects(status, "statuses"):
            self._status(entry)
        for entry in _objects(status, "logs"):
            self._log(entry)
        for entry in _objects(status, "warnings"):
            self._tell(Notice(self._task, f"buildx warns: {_decoded(entry.get('short'))}"))

    def silent(self, most: float) -> str:
        """Why the build is to be stopped: nothing was heard for `most` seconds (0.0: for ever); else nothing."""
        return f"gave no sign of life for {most:g} s" if most and self._clock() - self.heard > most else ""

    def failure(self) -> StepFailure:
        """What failed, as far as it was told: the first failed step, else buildx's last words."""
        failed = [vertex for vertex in self._vertexes.values() if vertex.error]
        first = next((vertex for vertex in failed if not _CANCELLED.search(vertex.error)), None)
        if first is None:
            return StepFailure("", _last_words(self._plain), (), _source(self._plain))
        log = (*first.log, *([first.rest] if first.rest else []))
        return StepFailure(first.name, first.error, log[-_LAST_LINES:], _source(self._plain))

    def _vertex(self, entry: Mapping[str, object]) -> None:
        digest = str(entry.get("digest"))
        if digest not in self._vertexes and len(self._vertexes) >= _MOST_STEPS:
            return
        vertex = self._vertexes.setdefault(digest, _Vertex(str(entry.get("name", ""))[:_LONGEST_LINE]))
        if entry.get("started") and not vertex.started:
            vertex.started = True
            if _NUMBERED.match(vertex.name):
                self._started += 1
                vertex.number = self._started
            self._tell(Step(self._task, vertex.number, self._total(), vertex.name))
        if entry.get("completed") and not vertex.completed:
            vertex.completed = True
            vertex.error = str(entry.get("error") or "")
            if not vertex.error:
                cached = bool(entry.get("cached"))
                self._tell(Step(self._task, vertex.number, self._total(), vertex.name, cached=cached, done=True))

    def _total(self) -> int:
        return sum(bool(_NUMBERED.match(vertex.name)) for vertex in self._vertexes.values())

    def _status(self, entry: Mapping[str, object]) -> None:
        found = _EXPORTED.match(str(entry.get("id", "")))
        if found:
            self.exported = found.group(1)

    def _log(self, entry: Mapping[str, object]) -> None:
        vertex = self._vertexes.setdefault(str(entry.get("vertex")), _Vertex(""))
        *lines, rest = (vertex.rest + _decoded(entry.get("data"))).split("\n")
        vertex.rest = rest[-_LONGEST_LINE:]
        for line in lines:
            text = line.rstrip("\r").rpartition("\r")[2][:_LONGEST_LINE]
            vertex.log.append(text)
            self._tell(Line(self._task, text))

    def _tell(self, event: Event) -> None:
        self._listener(event)


def _parsed(line: str) -> Mapping[str, object] | None:
    if not line.startswith("{"):
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _objects(status: Mapping[str, object], key: str) -> list[Mapping[str, object]]:
    found = status.get(key)
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []


def _decoded(data: object) -> str:
    try:
        return base64.b64decode(str(data or ""), validate=True).decode(errors="replace")
    except (binascii.Error, ValueError):
        return ""


def _last_words(plain: Sequence[str]) -> str:
    """What buildx says at its end, without the words that it puts before every error."""
    said = [line for line in plain if line.startswith("ERROR: ")] or list(plain)
    return _LAST_WORDS.sub("", said[-1], count=1) if said else "buildx ended without a word"


def _source(plain: Sequence[str]) -> tuple[str, ...]:
    """The lines of the Dockerfile that buildx shows between two rules, below `Dockerfile:3`."""
    rules = [place for place, line in enumerate(plain) if line == _RULE]
    if len(rules) < 2 or not rules[0]:
        return ()
    return (plain[rules[0] - 1], *list(plain)[rules[0] + 1 : rules[1]])
