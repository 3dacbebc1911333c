"""A whole build: cells and indexes as tasks of one graph, and the tags when all of it is good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.building.cell import CellMaker
from orchestrator.building.lookup import Lookup
from orchestrator.building.memory import Memory
from orchestrator.building.options import Doors, Goal, Options
from orchestrator.building.published import PublishedIndexes
from orchestrator.building.publishing import LostError, Publisher
from orchestrator.building.record import read_records
from orchestrator.building.schedule import Scheduler, Task
from orchestrator.building.tagging import Ready, Tagger, all_references
from orchestrator.building.tasks import limits_of, tasks_of
from orchestrator.core.errors import MabuildError
from orchestrator.core.event import Listener, Notice, Phase, StateChanged
from orchestrator.core.fleet import Scope, Service
from orchestrator.core.image import Document
from orchestrator.core.plan import Cell, CellId, Plan
from orchestrator.core.result import CellResult, IndexResult, Outcome, Record, Results

_PHASES = {
    Outcome.BUILT: Phase.BUILT,
    Outcome.UNCHANGED: Phase.UNCHANGED,
    Outcome.FAILED: Phase.FAILED,
    Outcome.SKIPPED: Phase.SKIPPED,
}


def build(plan: Plan, options: Options, doors: Doors, listener: Listener) -> Results:
    """Build and publish what the plan holds; failures are in the results, in plan order, one for each task."""
    return _Run(plan, options, doors, listener).results()


@dataclass(slots=True)
class _Run:
    plan: Plan
    options: Options
    doors: Doors
    listener: Listener
    cells: dict[CellId, CellResult] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)
    maker: CellMaker = field(init=False)
    publisher: Publisher = field(init=False)
    tagger: Tagger = field(init=False)

    def __post_init__(self) -> None:
        services = [planned.service for planned in self.plan.services] if self.options.goal is Goal.PUSH else []
        published = PublishedIndexes(self.doors.store, services)
        memory = Memory(self.doors.store, lambda text: self.listener(Notice("", text)))
        records = {record.cell: record for record in _records(self.options.records)}
        lookup = Lookup(self.doors.store, published, records, memory, self.doors.now)
        self.maker = CellMaker(self.plan, self.options, self.doors, self.listener, lookup, self.cells)
        self.publisher = Publisher(self.plan, self.options, self.doors, self.listener, published)
        self.tagger = Tagger(self.plan.fleet.publish, self.options, self.doors, self.listener, published)

    def results(self) -> Results:
        tasks = tasks_of(self.plan, self.options)
        scheduler: Scheduler[CellResult | IndexResult] = Scheduler(
            work=self._work,
            is_good=lambda result: result.outcome.is_good,
            skip=self._skipped,
            limits=limits_of(self.plan, self.options),
            keep_going=self.options.keep_going,
            stopping=self.doors.stopping,
            on_stop=self.doors.builder.stop,
        )
        found = scheduler.run(tasks)
        cells = tuple(result for result in found if isinstance(result, CellResult) and self._is_told(result))
        indexes = tuple(result for result in found if isinstance(result, IndexResult))
        return Results(cells, self._tagged_all(cells, indexes))

    def _is_told(self, result: CellResult) -> bool:
        """Parents of the cells that are asked for are only looked up; they are told of where they are missing."""
        return not self.options.only or result.id in self.options.only or result.outcome is Outcome.FAILED

    def _work(self, task: Task) -> CellResult | IndexResult:
        cell = self._cell(task.name)
        if cell is None:
            return self._index(task.name)
        result = self.maker.make(cell)
        self.cells[result.id] = result
        self._tell(task.name, result)
        return result

    def _cell(self, name: str) -> Cell | None:
        return next((cell for cell in self.plan.cells if str(cell.id) == name), None)

    def _index(self, name: str) -> IndexResult:
        service = self.plan.planned(name).service
        try:
            document = self._put_index(service)
        except MabuildError as error:
            failed = IndexResult(name, Outcome.FAILED, reason=_with_hint(error))
            self._tell(name, failed)
            return failed
        self.documents[name] = document
        cells = [self.cells[cell.id] for cell in self.plan.cells_of(name)]
        unchanged = all(cell.outcome is Outcome.UNCHANGED for cell in cells)
        result = IndexResult(name, Outcome.UNCHANGED if unchanged else Outcome.BUILT, document.digest)
        return self._tagged((result,))[0] if self.options.scope is Scope.SERVICE else result

    def _put_index(self, service: Service) -> Document:
        """The index by digest. What the registry has lost since it was pushed is built once more."""
        planned = self.plan.cells_of(service.name)
        try:
            return self.publisher.index(service, [self.cells[cell.id] for cell in planned])
        except LostError as error:
            self.listener(Notice(service.name, f"{error.message}; its cells are built once more"))
        for cell in planned:
            result = self.maker.make(cell, fresh=True)
            self.cells[cell.id] = result
            self._tell(str(cell.id), result)
        return self.publisher.index(service, [self.cells[cell.id] for cell in planned])

    def _tagged_all(self, cells: tuple[CellResult, ...], indexes: tuple[IndexResult, ...]) -> tuple[IndexResult, ...]:
        """All tags of the fleet, if everything is there; else none."""
        if self.options.scope is Scope.SERVICE or not indexes or self.options.goal is not Goal.PUSH:
            return indexes
        if Results(cells, indexes).is_good and not self.doors.stopping():
            return self._tagged(indexes)
        why = "interrupted" if self.doors.stopping() else "not tagged, because not everything of the fleet is there"
        untagged = tuple(_untagged(index, why) for index in indexes)
        for before, index in zip(indexes, untagged, strict=True):
            if before is not index:
                self._tell(index.service, index)
        return untagged

    def _tagged(self, indexes: Sequence[IndexResult]) -> tuple[IndexResult, ...]:
        ready = [Ready(self.plan.planned(one.service).service, self.documents[one.service]) for one in indexes]
        for index in indexes:
            self.listener(StateChanged(index.service, Phase.PUBLISHING))
        results = tag_services(self.tagger, ready, indexes)
        for result in results:
            self._tell(result.service, result)
        return results

    def _skipped(self, task: Task, reason: str) -> CellResult | IndexResult:
        cell = self._cell(task.name)
        result = _skipped_cell(cell, reason) if cell else IndexResult(task.name, Outcome.SKIPPED, reason=reason)
        self._tell(task.name, result)
        return result

    def _tell(self, task: str, result: CellResult | IndexResult) -> None:
        self.listener(StateChanged(task, _PHASES[result.outcome], result.reason))


def tag_services(tagger: Tagger, ready: Sequence[Ready], indexes: Sequence[IndexResult]) -> tuple[IndexResult, ...]:
    """The results of services whose tags move together: all of them tagged, or all of them failed."""
    try:
        moves = tagger.tag(ready)
    except MabuildError as error:
        reason = _with_hint(error)
        return tuple(IndexResult(one.service, Outcome.FAILED, one.digest, (), reason) for one in indexes)
    results = []
    for one, index in zip(ready, indexes, strict=True):
        tags = tuple(move for reference, move in moves.items() if reference in all_references(one.service))
        digest = tagger.adopted.get(index.service, index.digest)
        results.append(IndexResult(index.service, index.outcome, digest, tags, index.reason))
    return tuple(results)


def _records(folder: Path) -> tuple[Record, ...]:
    return read_records(folder) if folder != Path() and folder.is_dir() else ()


def _skipped_cell(cell: Cell, reason: str) -> CellResult:
    return CellResult(cell.id, Outcome.SKIPPED, node=cell.node, mode=cell.mode, reason=reason)


def _untagged(index: IndexResult, why: str) -> IndexResult:
    return IndexResult(index.service, Outcome.SKIPPED, index.digest, (), why) if index.outcome.is_good else index


def _with_hint(error: MabuildError) -> str:
    return f"{error}; {error.hint}" if error.hint else str(error)
