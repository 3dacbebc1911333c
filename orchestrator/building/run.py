"""A whole build: cells and indexes as tasks of one graph, and the tags when all of it is good."""

from __future__ import annotations

from dataclasses import dataclass, field

from orchestrator.building.cell import CellMaker
from orchestrator.building.options import Doors, Options
from orchestrator.building.publishing import Publisher
from orchestrator.building.schedule import Scheduler, Task
from orchestrator.building.tasks import limits_of, tasks_of
from orchestrator.core.event import Listener, Phase, StateChanged
from orchestrator.core.fleet import Scope
from orchestrator.core.plan import Cell, CellId, Plan
from orchestrator.core.result import CellResult, IndexResult, Outcome, Results

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
    maker: CellMaker = field(init=False)
    publisher: Publisher = field(init=False)

    def __post_init__(self) -> None:
        self.maker = CellMaker(self.plan, self.options, self.doors, self.listener, self.cells)
        self.publisher = Publisher(self.plan, self.options, self.doors, self.listener)

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
        cells = tuple(result for result in found if isinstance(result, CellResult))
        indexes = tuple(result for result in found if isinstance(result, IndexResult))
        return Results(cells, self._tagged(cells, indexes))

    def _work(self, task: Task) -> CellResult | IndexResult:
        cell = next((cell for cell in self.plan.cells if str(cell.id) == task.name), None)
        result = self.maker.make(cell) if cell else self._index(task.name)
        if isinstance(result, CellResult):
            self.cells[result.id] = result
        if isinstance(result, CellResult) or not result.outcome.is_good or self.options.scope is Scope.SERVICE:
            self._tell(task.name, result)
        return result

    def _index(self, name: str) -> IndexResult:
        service = self.plan.planned(name).service
        result = self.publisher.index(service, tuple(self.cells[cell.id] for cell in self.plan.cells_of(name)))
        if result.outcome.is_good and self.options.scope is Scope.SERVICE:
            return self.publisher.tag((result,))[0]
        return result

    def _tagged(self, cells: tuple[CellResult, ...], indexes: tuple[IndexResult, ...]) -> tuple[IndexResult, ...]:
        """All tags of the fleet, if everything is there; else none."""
        if self.options.scope is Scope.SERVICE or not indexes:
            return indexes
        results = Results(cells, indexes)
        if results.is_good and not self.doors.stopping():
            tagged = self.publisher.tag(indexes)
        else:
            why = "interrupted" if self.doors.stopping() else "not tagged: not everything of the fleet is there"
            tagged = tuple(_untagged(index, why) for index in indexes)
        for index in tagged:
            if index.outcome is not Outcome.SKIPPED:
                self._tell(index.service, index)
        return tagged

    def _skipped(self, task: Task, reason: str) -> CellResult | IndexResult:
        cell = next((cell for cell in self.plan.cells if str(cell.id) == task.name), None)
        result = _skipped_cell(cell, reason) if cell else IndexResult(task.name, Outcome.SKIPPED, reason=reason)
        self._tell(task.name, result)
        return result

    def _tell(self, task: str, result: CellResult | IndexResult) -> None:
        self.listener(StateChanged(task, _PHASES[result.outcome], result.reason))


def _skipped_cell(cell: Cell, reason: str) -> CellResult:
    return CellResult(cell.id, Outcome.SKIPPED, node=cell.node, mode=cell.mode, reason=reason)


def _untagged(index: IndexResult, why: str) -> IndexResult:
    if not index.outcome.is_good:
        return index
    return IndexResult(index.service, Outcome.SKIPPED, index.digest, (), why)
