"""Joining what several machines built: complete sets of records become indexes, then tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from orchestrator.building.memory import Memory
from orchestrator.building.options import Doors, Options
from orchestrator.building.published import PublishedIndexes
from orchestrator.building.publishing import Publisher
from orchestrator.building.results import failed_index, index_result, tell, untagged
from orchestrator.building.tagging import Ready, Tagger, tag_services
from orchestrator.core.errors import BuildError, MabuildError
from orchestrator.core.event import Listener, Phase, StateChanged
from orchestrator.core.fleet import Scope, Service
from orchestrator.core.plan import Plan
from orchestrator.core.result import CellResult, IndexResult, Outcome, Record, Results

_AT_ONCE = 8


def publish(plan: Plan, records: Sequence[Record], options: Options, doors: Doors, listener: Listener) -> Results:
    """Publish a plan's services from records; BuildError for an incomplete set, other failures are in the results."""
    cells = cells_of(plan, records)
    doors = replace(doors, store=doors.store.without_mirrors())
    published = PublishedIndexes(doors.store, [planned.service for planned in plan.services])
    join = _Join(
        Publisher(plan, options, doors, listener, published),
        Tagger(plan.fleet.publish, options, doors, listener, published),
        {planned.service.name: cells_of_service(planned.service, cells) for planned in plan.services},
    )
    indexes = join.by_service() if options.scope is Scope.SERVICE else join.together()
    _forget(plan, doors, cells, {index.service for index in indexes if index.outcome.is_good})
    return Results(cells, indexes)


def _forget(plan: Plan, doors: Doors, cells: Sequence[CellResult], published: set[str]) -> None:
    """Remove what the machines that built left in the registry for each other: now the lists are the memory."""
    memory = Memory(doors.store, lambda _: None)
    done = [cell for cell in cells if cell.id.service in published and cell.outcome is Outcome.BUILT and cell.key]
    with ThreadPoolExecutor(_AT_ONCE, "record") as pool:
        list(pool.map(lambda cell: memory.find(plan.planned(cell.id.service).service, cell.id, cell.key), done))
    memory.forget(cell.id for cell in done)


def preview(plan: Plan, records: Sequence[Record], options: Options, doors: Doors) -> Results:
    """What `publish` would do: every tag with its digest and the one that it would get; nothing is written."""
    cells = cells_of(plan, records)
    doors = replace(doors, store=doors.store.without_mirrors())
    services = [planned.service for planned in plan.services]
    published = PublishedIndexes(doors.store, services)
    publisher = Publisher(plan, options, doors, lambda _: None, published)
    tagger = Tagger(plan.fleet.publish, options, doors, lambda _: None, published)
    indexes = []
    for service in services:
        own = cells_of_service(service, cells)
        ready = Ready(service, publisher.document(service, own))
        result = index_result(service.name, ready.document.digest, own)
        indexes.append(IndexResult(service.name, result.outcome, result.digest, tagger.preview(ready)))
    return Results(cells, tuple(indexes))


@dataclass(frozen=True, slots=True)
class _Join:
    publisher: Publisher
    tagger: Tagger
    cells: Mapping[str, tuple[CellResult, ...]]

    def together(self) -> tuple[IndexResult, ...]:
        """All indexes, then all tags, or no tag."""
        made = [self._index(planned.service) for planned in self.publisher.plan.services]
        indexes = [index for index, _ in made]
        if all(index.outcome.is_good for index in indexes):
            return self._tagged(indexes, [ready for _, one in made for ready in one])
        return untagged(indexes, "not tagged, because not everything of the fleet is there")

    def by_service(self) -> tuple[IndexResult, ...]:
        """Each index with its tags."""
        results: list[IndexResult] = []
        for planned in self.publisher.plan.services:
            index, ready = self._index(planned.service)
            results += self._tagged([index], ready) if ready else [index]
        return tuple(results)

    def _index(self, service: Service) -> tuple[IndexResult, tuple[Ready, ...]]:
        cells = self.cells[service.name]
        try:
            document = self.publisher.index(service, cells)
        except MabuildError as error:
            result = failed_index(service.name, error)
            tell(self.publisher.listener, service.name, result)
            return result, ()
        return index_result(service.name, document.digest, cells), (Ready(service, document),)

    def _tagged(self, indexes: Sequence[IndexResult], ready: Sequence[Ready]) -> tuple[IndexResult, ...]:
        for index in indexes:
            self.publisher.listener(StateChanged(index.service, Phase.PUBLISHING))
        results = tag_services(self.tagger, ready, indexes)
        for result in results:
            tell(self.publisher.listener, result.service, result)
        return results


def cells_of_service(service: Service, cells: Sequence[CellResult]) -> tuple[CellResult, ...]:
    """The cells of one service."""
    return tuple(cell for cell in cells if cell.id.service == service.name)


def cells_of(plan: Plan, records: Sequence[Record]) -> tuple[CellResult, ...]:
    """The cells of a plan as records tell of them; BuildError names what is missing."""
    by_cell = {record.cell: record for record in records}
    missing = [str(cell.id) for cell in plan.cells if cell.id not in by_cell]
    if missing:
        more = f" and {len(missing) - 10} more" if len(missing) > 10 else ""
        raise BuildError(
            f"records are missing: {', '.join(missing[:10])}{more}",
            hint="nothing is published before every platform of every service has a record",
        )
    return tuple(_cell(plan, by_cell[cell.id]) for cell in plan.cells)


def _cell(plan: Plan, record: Record) -> CellResult:
    lacking = {image.name for image in plan.planned(record.cell.service).service.images} - set(record.repositories)
    if lacking:
        raise BuildError(f"{record.cell} was not pushed to {', '.join(sorted(lacking))}", hint="build it again")
    return CellResult(
        id=record.cell,
        outcome=Outcome.BUILT if record.attempts else Outcome.UNCHANGED,
        digest=record.digest,
        descriptors=record.descriptors,
        node=record.node,
        mode=record.mode,
        key=record.key,
        attempts=record.attempts,
        seconds=record.seconds,
    )
