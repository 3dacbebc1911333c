"""A whole build: cells and indexes as tasks of one graph, and the tags when all of it is good."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from orchestrator.building.cell import CellMaker
from orchestrator.building.keys import Keys
from orchestrator.building.layouts import Workshop
from orchestrator.building.lookup import Lookup
from orchestrator.building.memory import Memory
from orchestrator.building.options import Doors, Goal, Options
from orchestrator.building.parents import Parents
from orchestrator.building.published import PublishedIndexes
from orchestrator.building.publishing import LostError, Publisher
from orchestrator.building.record import read_records
from orchestrator.building.request import Requests
from orchestrator.building.results import failed_index, index_result, skipped_cell, tell, untagged
from orchestrator.building.schedule import Scheduler, Task
from orchestrator.building.tagging import Ready, Tagger, tag_services
from orchestrator.building.tasks import lacking_platforms, limits_of, tasks_of
from orchestrator.core.errors import MabuildError, UsageError
from orchestrator.core.event import Listener, Notice, Phase, StateChanged
from orchestrator.core.fleet import Scope, Service
from orchestrator.core.image import Document
from orchestrator.core.plan import Cell, CellId, Plan
from orchestrator.core.result import CellResult, IndexResult, Outcome, Record, Results


def build(plan: Plan, options: Options, doors: Doors, listener: Listener) -> Results:
    """Build and publish what the plan holds; failures are in the results, in plan order, one for each task.

    UsageError where the options do not go together, or a folder cannot be written.
    """
    _check(plan, options)
    with _workshop(options) as workshop:
        return _Run(plan, options, doors, listener, workshop).results()


def _check(plan: Plan, options: Options) -> None:
    unknown = sorted(str(cell) for cell in options.only - {cell.id for cell in plan.cells})
    if unknown:
        raise UsageError(f"the plan has no cell {', '.join(unknown)}", hint="cells are written service@platform")
    platforms = {str(cell.id.platform) for cell in plan.cells}
    if options.goal is Goal.LOAD and len(platforms) > 1:
        raise UsageError(
            f"--load takes one platform, and this plan has {', '.join(sorted(platforms))}",
            hint="docker takes one image under a name; choose with --platform, or write layouts with --output DIR",
        )


@contextmanager
def _workshop(options: Options) -> Iterator[Workshop]:
    """A folder for layouts of cells, on the disk of the layouts that come of them, gone at the end."""
    if options.goal is Goal.PUSH:
        yield Workshop(Path())
        return
    try:
        parent = options.directory if options.goal is Goal.LAYOUT else Path(tempfile.gettempdir())
        parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=".mabuild-", dir=parent)).resolve()
    except OSError as error:
        raise UsageError(f"{options.directory} cannot be written: {error.strerror}") from error
    try:
        yield Workshop(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(slots=True)
class _Run:
    plan: Plan
    options: Options
    doors: Doors
    listener: Listener
    workshop: Workshop
    cells: dict[CellId, CellResult] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)
    maker: CellMaker = field(init=False)
    publisher: Publisher = field(init=False)
    tagger: Tagger = field(init=False)

    def __post_init__(self) -> None:
        keys = Keys(self.plan, self.doors.store)
        self.doors = replace(self.doors, store=self.doors.store.without_mirrors())
        services = [planned.service for planned in self.plan.services] if self.options.goal is Goal.PUSH else []
        published = PublishedIndexes(self.doors.store, services)
        memory = Memory(self.doors.store, lambda text: self.listener(Notice("", text)))
        records = {record.cell: record for record in _records(self.options.records)}
        lookup = Lookup(self.doors.store, published, records, memory, self.doors.now)
        parents = Parents(self.plan, self.options.goal, self.doors.store, self.workshop, self.cells)
        requests = Requests(self.plan, self.options, self.workshop, parents)
        self.maker = CellMaker(self.plan, self.options, self.doors, self.listener, lookup, requests, keys)
        self.publisher = Publisher(self.plan, self.options, self.doors, self.listener, published)
        self.tagger = Tagger(self.plan.fleet.publish, self.options, self.doors, self.listener, published)

    def results(self) -> Results:
        self._tell_what_is_not_tagged()
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

    def _tell_what_is_not_tagged(self) -> None:
        for planned in self.plan.services:
            lacking = lacking_platforms(self.plan, planned.service)
            if lacking and self.options.goal is Goal.PUSH and not self.options.only:
                names = ", ".join(map(str, lacking))
                text = f"pushed by digest, and no tag moves: {names} of {planned.service.name} is not part of this run"
                self.listener(Notice(planned.service.name, text))

    def _is_told(self, result: CellResult) -> bool:
        """Parents of the cells that are asked for are only looked up; they are told of where they are missing."""
        return not self.options.only or result.id in self.options.only or result.outcome is Outcome.FAILED

    def _work(self, task: Task) -> CellResult | IndexResult:
        cell = self._cell(task.name)
        if cell is None:
            return self._index(task.name)
        result = self.maker.make(cell)
        self.cells[result.id] = result
        tell(self.listener, task.name, result)
        return result

    def _cell(self, name: str) -> Cell | None:
        return next((cell for cell in self.plan.cells if str(cell.id) == name), None)

    def _index(self, name: str) -> IndexResult:
        service = self.plan.planned(name).service
        try:
            document = self._put_index(service) if self.options.goal is Goal.PUSH else self._write_layout(service)
        except MabuildError as error:
            failed = failed_index(name, error)
            tell(self.listener, name, failed)
            return failed
        self.documents[name] = document
        result = index_result(name, document.digest, [self.cells[cell.id] for cell in self.plan.cells_of(name)])
        if self.options.goal is not Goal.PUSH:
            tell(self.listener, name, result)
            return result
        return self._tagged((result,))[0] if self.options.scope is Scope.SERVICE else result

    def _write_layout(self, service: Service) -> Document:
        cells = [self.cells[cell.id] for cell in self.plan.cells_of(service.name)]
        document = self.publisher.document(service, cells)
        self.workshop.join(self.options.directory / service.name, service, cells, document)
        return document

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
            tell(self.listener, str(cell.id), result)
        return self.publisher.index(service, [self.cells[cell.id] for cell in planned])

    def _tagged_all(self, cells: tuple[CellResult, ...], indexes: tuple[IndexResult, ...]) -> tuple[IndexResult, ...]:
        """All tags of the fleet, if everything is there; else none."""
        if self.options.scope is Scope.SERVICE or not indexes or self.options.goal is not Goal.PUSH:
            return indexes
        if Results(cells, indexes).is_good and not self.doors.stopping():
            return self._tagged(indexes)
        why = "interrupted" if self.doors.stopping() else "not tagged, because not everything of the fleet is there"
        results = untagged(indexes, why)
        for before, after in zip(indexes, results, strict=True):
            if before is not after:
                tell(self.listener, after.service, after)
        return results

    def _tagged(self, indexes: Sequence[IndexResult]) -> tuple[IndexResult, ...]:
        ready = [Ready(self.plan.planned(one.service).service, self.documents[one.service]) for one in indexes]
        for index in indexes:
            self.listener(StateChanged(index.service, Phase.PUBLISHING))
        results = tag_services(self.tagger, ready, indexes)
        for result in results:
            tell(self.listener, result.service, result)
        published = {result.service for result in results if result.outcome.is_good}
        self.maker.lookup.memory.forget(cell.id for cell in self.plan.cells if cell.id.service in published)
        return results

    def _skipped(self, task: Task, reason: str) -> CellResult | IndexResult:
        cell = self._cell(task.name)
        result = skipped_cell(cell, reason) if cell else IndexResult(task.name, Outcome.SKIPPED, reason=reason)
        tell(self.listener, task.name, result)
        return result


def _records(folder: Path) -> tuple[Record, ...]:
    return read_records(folder) if folder != Path() and folder.is_dir() else ()
