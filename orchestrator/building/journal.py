"""The journal of moved tags: one line before each move and one after it, so that every move can be taken back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from threading import Lock

from orchestrator.core.errors import UsageError
from orchestrator.core.reference import Reference, is_digest
from orchestrator.core.result import TagMove

_LONGEST = 64 * 1024 * 1024


class State(StrEnum):
    """What a line of the journal says of a tag."""

    MOVING = "moving"
    MOVED = "moved"
    RESTORED = "restored"


class Journal:
    """Appends to a file; every line is on the disk before the tag moves."""

    def __init__(self, path: Path, now: Callable[[], str]) -> None:
        self.path = path
        self._now = now
        self._lock = Lock()

    def write(self, state: State, move: TagMove) -> None:
        """Add a line; UsageError where the file cannot be written, so that no tag moves unrecorded."""
        line = {"time": self._now(), "state": state, "reference": move.reference, "old": move.old, "new": move.new}
        try:
            with self._lock:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
                    file.flush()
                    os.fsync(file.fileno())
        except OSError as error:
            raise UsageError(f"the journal {self.path} cannot be written: {error.strerror}") from error


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A tag that a journal moved, or was about to move, and has not restored."""

    move: TagMove
    reference: Reference


def read_journal(path: Path) -> tuple[Unfinished, ...]:
    """The moves that stand, last one first; a last line that was cut off while it was written is ignored."""
    try:
        with path.open("rb") as file:
            lines = file.read(_LONGEST).decode(errors="replace").splitlines()
    except OSError as error:
        raise UsageError(f"the journal {path} cannot be read: {error.strerror}") from error
    standing: dict[str, Unfinished] = {}
    for number, line in enumerate(lines, 1):
        entry = _entry(line)
        if entry is None:
            if number == len(lines):
                continue
            raise UsageError(f"{path}:{number}: this is no line of a journal")
        state, found = entry
        before = standing.pop(found.move.reference, None)
        if state is not State.RESTORED:
            old = before.move.old if before else found.move.old
            standing[found.move.reference] = Unfinished(
                TagMove(found.move.reference, old, found.move.new), found.reference
            )
    return tuple(reversed(standing.values()))


def _entry(line: str) -> tuple[State, Unfinished] | None:
    try:
        found = json.loads(line)
        move = TagMove(str(found["reference"]), str(found["old"]), str(found["new"]))
        state, reference = State(found["state"]), Reference.parse(move.reference)
    except (ValueError, KeyError, TypeError, RecursionError, UsageError):
        return None
    good = reference.tag and is_digest(move.new) and (not move.old or is_digest(move.old))
    return (state, Unfinished(move, reference)) if good else None
