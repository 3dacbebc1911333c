"""Which tags are to move: what others did meanwhile is noticed, the same content is adopted, older commits stay out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from orchestrator.building.entries import KEY
from orchestrator.building.journal import Journal
from orchestrator.building.options import Descent, Doors, Options
from orchestrator.building.published import PublishedIndexes
from orchestrator.building.results import failed_index
from orchestrator.building.tags import Mover, Wish, current_all, in_order, is_moving, moved_elsewhere
from orchestrator.core.errors import MabuildError
from orchestrator.core.event import Listener, Notice
from orchestrator.core.fleet import Publish, Service
from orchestrator.core.image import Document, Index
from orchestrator.core.reference import Reference
from orchestrator.core.result import IndexResult, TagMove
from orchestrator.registry.media import parse

REVISION = "org.opencontainers.image.revision"


@dataclass(frozen=True, slots=True)
class Ready:
    """A service whose index is in all of its repositories, proven, and without a tag yet."""

    service: Service
    document: Document


@dataclass(slots=True)
class Tagger:
    """Moves the tags of services together. `published` tells what was there when the run began.

    Afterwards `kept` has the guarded tags that did not move, and `adopted` the digests that another run had published.
    """

    policy: Publish
    options: Options
    doors: Doors
    listener: Listener
    published: PublishedIndexes
    kept: dict[Reference, str] = field(default_factory=dict)
    adopted: dict[str, str] = field(default_factory=dict)

    def tag(self, services: Sequence[Ready]) -> dict[Reference, TagMove]:
        """All tags of the services, with what they pointed at before and now; MoveError where they cannot move."""
        unknown = [reference for ready in services for reference in self._references(ready)]
        now = current_all(self.doors.store, unknown)
        wishes = [wish for ready in services for wish in self._wishes(self._agreed(ready, now), now)]
        pace = _Pace(self.options.grace, self.doors)
        mover = Mover(
            store=self.doors.store,
            journal=Journal(self.options.journal, self.doors.now),
            listener=self.listener,
            restore=self.policy.rollback,
            may_finish=pace.may_finish,
            is_same=self._is_same,
        )
        if wishes:
            mover.move(wishes)
        moved = {
            wish.reference: replace(wish.move, new=mover.left.get(wish.reference, wish.document.digest))
            for wish in wishes
        }
        return {
            reference: moved.get(reference) or self._as_it_was(ready, reference)
            for ready in services
            for reference in all_references(ready.service)
        }

    def preview(self, ready: Ready) -> tuple[TagMove, ...]:
        """What would move, without moving it."""
        references = all_references(ready.service)
        now = current_all(self.doors.store, references)
        return tuple(TagMove(str(reference), now[reference], ready.document.digest) for reference in references)

    def _references(self, ready: Ready) -> tuple[Reference, ...]:
        """The tags of a service that are not known to point at its index already."""
        known = [
            index.tags for index in self.published.of(ready.service.name).indexes if index.document == ready.document
        ]
        done = known[0] if known else frozenset()
        return tuple(reference for reference in all_references(ready.service) if reference.tag not in done)

    def _as_it_was(self, ready: Ready, reference: Reference) -> TagMove:
        stands = self.adopted.get(ready.service.name, ready.document.digest)
        digest = self.kept.get(reference, stands)
        return TagMove(str(reference), digest, digest)

    def _agreed(self, ready: Ready, now: dict[Reference, str]) -> Ready:
        """The service with the index of another run, where that has published the same content meanwhile."""
        published = self.published.of(ready.service.name)
        if any(index.document == ready.document for index in published.indexes):
            return ready
        seen = published.seen
        for reference in self._references(ready):
            digest = now[reference]
            is_news = reference in seen and digest != seen[reference]
            is_fixed = not is_moving(reference.tag)
            if digest in {"", ready.document.digest} or not (is_news or is_fixed):
                continue
            other = self.doors.store.manifest(reference.with_digest(digest))
            if _same_content(other, ready.document):
                self.listener(Notice(ready.service.name, f"another run has published the same as {other.digest}"))
                self.adopted[ready.service.name] = other.digest
                return Ready(ready.service, other)
        return ready

    def _is_same(self, wish: Wish, digest: str) -> bool:
        other = self.doors.store.manifest(wish.reference.with_digest(digest))
        return _same_content(other, wish.document)

    def _wishes(self, ready: Ready, now: dict[Reference, str]) -> list[Wish]:
        wishes = []
        seen = self.published.of(ready.service.name).seen
        for reference in self._references(ready):
            old = now[reference]
            if old == ready.document.digest:
                continue
            wish = Wish(ready.service.name, reference, ready.document, old)
            before = seen.get(reference, old)
            is_same = old not in {"", before} and self._is_same(wish, old)
            if not is_same and self._may_move(ready, reference, old, before):
                wishes.append(wish)
            else:
                self.kept[reference] = old
        return wishes

    def _may_move(self, ready: Ready, reference: Reference, old: str, seen: str) -> bool:
        """Whether a tag may move; False where it is guarded and newer, MoveError where somebody else moved it."""
        is_guarded = reference.tag in self.policy.monotonic
        if not old or (old == seen and not is_guarded):
            if old != seen:
                raise moved_elsewhere(reference, seen, old)
            return True
        theirs = _revision(self.doors.store.manifest(reference.with_digest(old)))
        ours = _revision(ready.document)
        descent = self.doors.descends(ours, theirs) if ours and theirs else Descent.UNKNOWN
        if old != seen and descent is not Descent.NEWER and not is_guarded:
            raise moved_elsewhere(reference, seen, old)
        return self._guarded(ready, reference, descent, theirs) if is_guarded else True

    def _guarded(self, ready: Ready, reference: Reference, descent: Descent, theirs: str) -> bool:
        if descent is Descent.NEWER or not theirs:
            return True
        why = (
            "is of a newer or another commit"
            if descent is Descent.NOT_NEWER
            else "is of a commit that git has not here"
        )
        self.listener(Notice(ready.service.name, f"{reference} stays: it {why} ({theirs[:12]})"))
        return False


def tag_services(tagger: Tagger, ready: Sequence[Ready], indexes: Sequence[IndexResult]) -> tuple[IndexResult, ...]:
    """The results of services whose tags move together: all of them tagged, or all of them failed."""
    try:
        moves = tagger.tag(ready)
    except MabuildError as error:
        return tuple(failed_index(index.service, error, index.digest) for index in indexes)
    results = []
    for one, index in zip(ready, indexes, strict=True):
        tags = tuple(moves[reference] for reference in all_references(one.service))
        digest = tagger.adopted.get(index.service, index.digest)
        results.append(replace(index, digest=digest, tags=tags))
    return tuple(results)


@dataclass(slots=True)
class _Pace:
    """After a signal tags go on moving only when the rest of them fits into the grace, by the pace so far."""

    grace: float
    doors: Doors
    began: float = 0.0
    first: int = 0

    def may_finish(self, left: int) -> bool:
        now = self.doors.clock()
        if not self.first:
            self.first, self.began = left, now
            return not self.doors.stopping()
        done = self.first - left
        return not self.doors.stopping() or (now - self.began) / max(done, 1) * left <= self.grace


def all_references(service: Service) -> tuple[Reference, ...]:
    """All tags of a service in all repositories, in the order in which they move."""
    return tuple(image.with_tag(tag) for tag in in_order(service.tags) for image in service.images)


def _same_content(one: Document, other: Document) -> bool:
    """Whether two indexes hold images of the same keys for the same platforms; without keys nobody knows."""
    keys, others = _keys(one), _keys(other)
    return bool(keys) and all(keys.values()) and keys == others


def _keys(document: Document) -> dict[str, str]:
    try:
        found = parse(document)
    except MabuildError:
        return {}
    if not isinstance(found, Index):
        return {}
    return {str(entry.platform): entry.annotation(KEY) for entry in found.manifests if not entry.is_attestation}


def _revision(document: Document) -> str:
    try:
        return dict(parse(document).annotations).get(REVISION, "")
    except MabuildError:
        return ""
