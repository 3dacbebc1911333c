"""Taking back what a journal says was moved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.building.journal import Journal, read_journal
from orchestrator.building.tags import current, put_back
from orchestrator.core.errors import MabuildError
from orchestrator.core.reference import Reference
from orchestrator.registry.store import WritableStore


@dataclass(frozen=True, slots=True)
class Restored:
    """A tag of a journal: the digest that it was to have again, the one that it has, and what was done."""

    reference: Reference
    wanted: str
    now: str
    message: str

    @property
    def is_good(self) -> bool:
        """Whether the tag is as it was before; one that did not exist before cannot be."""
        return self.now == self.wanted


def rollback(path: Path, store: WritableStore, now: Callable[[], str]) -> tuple[Restored, ...]:
    """Put every tag of a journal back that still points where the journal left it, the last one first. UsageError."""
    journal = Journal(path, now)
    found = []
    for entry in read_journal(path):
        message = put_back(store, journal, entry.reference, entry.move)
        try:
            stands = current(store, entry.reference)
        except MabuildError:
            stands = ""
        found.append(Restored(entry.reference, entry.move.old, stands, message))
    return tuple(found)
