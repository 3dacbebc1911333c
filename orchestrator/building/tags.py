"""Moving tags: all of a set or none, immutable ones first, each written down before and read again after."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from orchestrator.building.journal import Journal, State
from orchestrator.core.errors import BuildError, MabuildError
from orchestrator.core.event import Listener, Notice
from orchestrator.core.image import Document
from orchestrator.core.reference import Reference
from orchestrator.core.result import TagMove
from orchestrator.registry.errors import NotFoundError
from orchestrator.registry.store import WritableStore

_IMMUTABLE = re.compile(r"v?\d+\.\d+\.\d+([-+._].*)?|(?:sha-|git-)?[0-9a-f]{7,40}|.*\d{8}.*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wish:
    """A tag that is to point at an index."""

    service: str
    reference: Reference
    document: Document


class MoveError(BuildError):
    """A tag could not be moved, or somebody else moved it; the message says what was put back."""


def is_moving(tag: str) -> bool:
    """Whether a tag moves with every release, such as `latest` or a branch, and is not that of a version or commit."""
    return not _IMMUTABLE.fullmatch(tag)


def current(store: WritableStore, reference: Reference) -> str:
    """The digest that a tag points at, or the empty text."""
    try:
        return store.resolve(reference).digest
    except NotFoundError:
        return ""


@dataclass(slots=True)
class Mover:
    """Moves one set of tags as far as it can be one act: registries have no transaction over several tags.

    `seen` holds what tags pointed at when the run began, where that was asked. `may_finish` says, of the number of tags
    that are left, whether there is time for them.
    """

    store: WritableStore
    journal: Journal
    listener: Listener
    restore: bool = True
    seen: dict[Reference, str] = field(default_factory=dict)
    may_finish: Callable[[int], bool] = lambda _: True

    def move(self, wishes: Sequence[Wish]) -> dict[Reference, TagMove]:
        """Move all tags; MoveError after restoring those that were moved, where one of them cannot be."""
        ordered = sorted(wishes, key=lambda wish: is_moving(wish.reference.tag))
        moves = {wish.reference: self._planned(wish) for wish in ordered}
        moved: list[Wish] = []
        try:
            for place, wish in enumerate(ordered):
                if not self.may_finish(len(ordered) - place):
                    raise MoveError("interrupted, and there is no time left to move all tags")
                if self._move(wish, moves[wish.reference]):
                    moved.append(wish)
            self._require_all(ordered)
        except MabuildError as error:
            raise MoveError(f"{error.message}; {self._put_back(moved, moves)}", hint=error.hint) from error
        return moves

    def _planned(self, wish: Wish) -> TagMove:
        old = current(self.store, wish.reference)
        expected = self.seen.get(wish.reference, old)
        if old not in {expected, wish.document.digest}:
            raise _moved_elsewhere(wish.reference, expected, old)
        return TagMove(str(wish.reference), old, wish.document.digest)

    def _move(self, wish: Wish, move: TagMove) -> bool:
        """Move one tag; whether there was anything to do."""
        now = current(self.store, wish.reference)
        if now == move.new:
            return False
        if now != move.old:
            raise _moved_elsewhere(wish.reference, move.old, now)
        self.journal.write(State.MOVING, move)
        self.store.put_manifest(wish.reference, wish.document)
        self.journal.write(State.MOVED, move)
        self.listener(Notice(wish.service, f"{move.reference} now points at {move.new}"))
        return True

    def _require_all(self, wishes: Sequence[Wish]) -> None:
        for wish in wishes:
            now = current(self.store, wish.reference)
            if now != wish.document.digest:
                raise _moved_elsewhere(wish.reference, wish.document.digest, now)

    def _put_back(self, moved: list[Wish], moves: dict[Reference, TagMove]) -> str:
        if not moved:
            return "no tag was moved"
        if not self.restore:
            return f"{len(moved)} tag(s) had been moved, and stay so; the journal is {self.journal.path}"
        told = [put_back(self.store, self.journal, moves[wish.reference], wish.reference) for wish in reversed(moved)]
        return "; ".join(told)


def put_back(store: WritableStore, journal: Journal, move: TagMove, reference: Reference) -> str:
    """Point a tag at its old digest again, unless somebody else has moved it since; says what came of it."""
    try:
        now = current(store, reference)
        if now == move.old:
            return f"{reference} is as it was"
        if now != move.new:
            return f"{reference} was moved to {now or 'nothing'} by somebody else, and is left alone"
        if not move.old:
            return f"{reference} did not exist before, and stays: registries cannot delete a tag alone"
        store.put_manifest(reference, store.manifest(reference.with_digest(move.old)))
        journal.write(State.RESTORED, move)
    except MabuildError as error:
        return f"{reference} could not be put back to {move.old}: {error.message}"
    return f"{reference} was put back to {move.old}"


def _moved_elsewhere(reference: Reference, old: str, now: str) -> MoveError:
    return MoveError(
        f"{reference} was moved by somebody else meanwhile, from {old or 'nothing'} to {now or 'nothing'}",
        hint="look at what is there, then run again to publish over it",
    )
