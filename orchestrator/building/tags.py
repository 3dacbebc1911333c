"""Moving tags: all of a set or none, immutable ones first, each written down before and read again after."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock

from orchestrator.building.journal import Journal, State
from orchestrator.core.errors import BuildError, MabuildError
from orchestrator.core.event import Listener, Notice
from orchestrator.core.image import Document
from orchestrator.core.reference import Reference
from orchestrator.core.result import TagMove
from orchestrator.registry.errors import NotFoundError
from orchestrator.registry.store import Store, WritableStore

_IMMUTABLE = re.compile(r"v?\d+\.\d+\.\d+([-+._].*)?|(?:sha-|git-)?[0-9a-f]{7,40}|.*\d{8}.*", re.IGNORECASE)
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Wish:
    """A tag that is to point at an index; `old` is the digest that it points at, "" for nothing."""

    service: str
    reference: Reference
    document: Document
    old: str

    @property
    def move(self) -> TagMove:
        """The wish as a move."""
        return TagMove(str(self.reference), self.old, self.document.digest)


class MoveError(BuildError):
    """A tag could not be moved, or somebody else moved it; the message says what was put back."""


def is_moving(tag: str) -> bool:
    """Whether a tag moves with every release, such as `latest` or a branch, and is not that of a version or commit."""
    return not _IMMUTABLE.fullmatch(tag)


def in_order(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags in the order in which they move: `latest` last of all, so that whoever finds it finds all others moved."""
    return tuple(sorted(dict.fromkeys(tags), key=lambda tag: (is_moving(tag), tag == "latest")))


def current(store: Store, reference: Reference) -> str:
    """The digest that a tag points at, or the empty text."""
    try:
        return store.resolve(reference).digest
    except NotFoundError:
        return ""


def current_all(store: Store, references: Sequence[Reference]) -> dict[Reference, str]:
    """The digests that tags point at, asked side by side."""
    with ThreadPoolExecutor(_AT_ONCE, "tag") as pool:
        return dict(zip(references, pool.map(lambda reference: current(store, reference), references), strict=True))


def moved_elsewhere(reference: Reference, old: str, now: str) -> MoveError:
    """The error for a tag that another hand has moved."""
    return MoveError(
        f"{reference} was moved by somebody else meanwhile, from {old or 'nothing'} to {now or 'nothing'}",
        hint="look at what is there, then run again to publish over it",
    )


@dataclass(slots=True)
class Mover:
    """Moves one set of tags as far as it can be one act: registries have no transaction over several tags.

    `may_finish` says, of the number of tags that are left, whether there is time for them. `is_same` says whether the
    digest that a tag has been moved to meanwhile is of the same content: then the tag is left there, as two runs of
    one commit would otherwise undo each other. `left` has those tags afterwards.
    """

    store: WritableStore
    journal: Journal
    listener: Listener
    restore: bool = True
    may_finish: Callable[[int], bool] = lambda _: True
    is_same: Callable[[Wish, str], bool] = lambda _wish, _digest: False
    left: dict[Reference, str] = field(default_factory=dict)
    _moved: list[Wish] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)
    _left: int = 0
    _failed: bool = False

    def move(self, wishes: Sequence[Wish]) -> None:
        """Move all tags; MoveError after restoring those that were moved, where one of them cannot be."""
        self._left = len(wishes)
        try:
            for step in _steps(wishes):
                self._move_all(step)
            now = current_all(self.store, [wish.reference for wish in wishes])
            for wish in wishes:
                self._require(wish, wish.document.digest, now[wish.reference])
        except MabuildError as error:
            raise MoveError(f"{error.message}; {self._put_back()}", hint=error.hint) from error

    def _move_all(self, wishes: Sequence[Wish]) -> None:
        with ThreadPoolExecutor(_AT_ONCE, "tag") as pool:
            for moved in [pool.submit(self._move, wish) for wish in wishes]:
                moved.result()

    def _move(self, wish: Wish) -> None:
        try:
            self._require_time()
            self._put_if_as_expected(wish)
        except BaseException:
            self._failed = True
            raise

    def _put_if_as_expected(self, wish: Wish) -> None:
        now = current(self.store, wish.reference)
        if now == wish.document.digest:
            return
        if self._require(wish, wish.old, now):
            self._put(wish)

    def _require(self, wish: Wish, expected: str, now: str) -> bool:
        """Whether a tag is where it was; False where another run moved it to the same content, MoveError else."""
        if now == expected:
            return True
        if not now or not self.is_same(wish, now):
            raise moved_elsewhere(wish.reference, expected, now)
        self.left[wish.reference] = now
        return False

    def _require_time(self) -> None:
        with self._lock:
            if self._failed:
                raise MoveError("another tag could not be moved")
            if not self.may_finish(self._left):
                raise MoveError("interrupted, and there is no time left to move all tags")
            self._left -= 1

    def _put(self, wish: Wish) -> None:
        self.journal.write(State.MOVING, wish.move)
        with self._lock:
            # Noted before the request: where the answer is lost the tag may have moved all the same.
            self._moved.append(wish)
        self.store.put_manifest(wish.reference, wish.document)
        self.journal.write(State.MOVED, wish.move)
        self.listener(Notice(wish.service, f"{wish.reference} now points at {wish.document.digest}"))

    def _put_back(self) -> str:
        if not self._moved:
            return "no tag was moved"
        if not self.restore:
            return f"{len(self._moved)} tag(s) had been moved, and stay so; the journal is {self.journal.path}"
        told = [put_back(self.store, self.journal, wish.reference, wish.move) for wish in reversed(self._moved)]
        return "; ".join(told)


def _steps(wishes: Sequence[Wish]) -> list[list[Wish]]:
    """Immutable tags, then moving ones, then `latest`: within a step the order does not matter."""
    steps: dict[tuple[bool, bool], list[Wish]] = {}
    for wish in wishes:
        tag = wish.reference.tag
        steps.setdefault((is_moving(tag), tag == "latest"), []).append(wish)
    return [steps[order] for order in sorted(steps)]


def put_back(store: WritableStore, journal: Journal, reference: Reference, move: TagMove) -> str:
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
