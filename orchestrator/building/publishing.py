"""From built cells to published indexes: the gate, the index by digest, its proof, and the tags last of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from orchestrator.building.index import index_document, require_platforms
from orchestrator.building.journal import Journal
from orchestrator.building.options import Doors, Options
from orchestrator.building.tags import Mover, Wish
from orchestrator.core.errors import BuildError, MabuildError
from orchestrator.core.event import Listener, Phase, StateChanged
from orchestrator.core.finding import Severity
from orchestrator.core.fleet import Pairs, Service
from orchestrator.core.image import Document
from orchestrator.core.plan import Plan
from orchestrator.core.reference import Reference
from orchestrator.core.result import CellResult, IndexResult, Outcome, TagMove


@dataclass(slots=True)
class Publisher:
    """Publishes the services of a plan. `seen` is what tags pointed at when the run began."""

    plan: Plan
    options: Options
    doors: Doors
    listener: Listener
    seen: dict[Reference, str] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)

    def index(self, service: Service, cells: Sequence[CellResult]) -> IndexResult:
        """Pass the gate, put the index into every repository by digest, and prove it; no tag moves."""
        try:
            document = self._put(service, cells)
            self._prove(service, document)
        except MabuildError as error:
            return IndexResult(service.name, Outcome.FAILED, reason=_with_hint(error))
        self.documents[service.name] = document
        unchanged = all(cell.outcome is Outcome.UNCHANGED for cell in cells)
        return IndexResult(service.name, Outcome.UNCHANGED if unchanged else Outcome.BUILT, document.digest)

    def tag(self, results: Sequence[IndexResult]) -> tuple[IndexResult, ...]:
        """Move the tags of services together; where one cannot move, none of the services is published."""
        wishes = [wish for result in results for wish in self._wishes(result.service)]
        mover = Mover(
            store=self.doors.store,
            journal=Journal(self.options.journal, self.doors.now),
            listener=self.listener,
            restore=self.plan.fleet.publish.rollback,
            seen=self.seen,
            may_finish=_Pace(self.options.grace, self.doors).may_finish,
        )
        for result in results:
            self.listener(StateChanged(result.service, Phase.PUBLISHING))
        try:
            moves = mover.move(wishes)
        except MabuildError as error:
            return tuple(
                IndexResult(result.service, Outcome.FAILED, result.digest, (), _with_hint(error)) for result in results
            )
        return tuple(self._tagged(result, moves) for result in results)

    def _tagged(self, result: IndexResult, moves: dict[Reference, TagMove]) -> IndexResult:
        tags = tuple(moves[wish.reference] for wish in self._wishes(result.service))
        return IndexResult(result.service, result.outcome, result.digest, tags)

    def _wishes(self, service: str) -> tuple[Wish, ...]:
        found = self.plan.planned(service).service
        return tuple(
            Wish(service, image.with_tag(tag), self.documents[service]) for tag in found.tags for image in found.images
        )

    def _put(self, service: Service, cells: Sequence[CellResult]) -> Document:
        planned = tuple(cell.id.platform for cell in self.plan.cells_of(service.name))
        require_platforms(service.name, planned, cells)
        document = index_document(cells, (*index_annotations(service), *self.options.annotations))
        for image in service.images:
            self.doors.store.put_manifest(image.with_digest(document.digest), document)
        return document

    def _prove(self, service: Service, document: Document) -> None:
        if not self.options.verify:
            return
        self.listener(StateChanged(service.name, Phase.VERIFYING))
        platforms = tuple(cell.id.platform for cell in self.plan.cells_of(service.name))
        for image in service.images:
            findings = self.doors.verify(service, image.with_digest(document.digest), platforms)
            wrong = [finding for finding in findings if finding.severity is Severity.ERROR]
            if wrong:
                more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
                raise BuildError(f"not published, {wrong[0].rule} {wrong[0].message}{more}", hint=wrong[0].cause)


def index_annotations(service: Service) -> Pairs:
    """The service's annotations that belong on its index."""
    return service.annotations


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


def _with_hint(error: MabuildError) -> str:
    return f"{error.message}; {error.hint}" if error.hint else error.message
