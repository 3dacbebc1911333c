"""One cell from its parents to its result: what is there is taken, what is not is built, and both leave a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.building.attempt import AttemptFailedError, Attempts, Cooldowns, Made
from orchestrator.building.entries import entries_of
from orchestrator.building.options import Doors, Goal, Options
from orchestrator.building.record import write_record
from orchestrator.building.request import build_request, output_of
from orchestrator.buildx.process import StoppedError
from orchestrator.core.errors import MabuildError
from orchestrator.core.event import Listener
from orchestrator.core.fleet import Service
from orchestrator.core.image import Descriptor
from orchestrator.core.plan import Cell, CellId, Mode, Plan
from orchestrator.core.result import CellResult, Outcome, Record


@dataclass(slots=True)
class CellMaker:
    """Makes cells of a plan. `made` holds the results of the cells that are done."""

    plan: Plan
    options: Options
    doors: Doors
    listener: Listener
    made: Mapping[CellId, CellResult]
    cooldowns: Cooldowns = field(init=False)

    def __post_init__(self) -> None:
        self.cooldowns = Cooldowns(self.doors.clock)

    def make(self, cell: Cell) -> CellResult:
        """The result of a cell whose parents are made; a failure is a result too."""
        began = self.doors.clock()
        service = self.plan.planned(cell.id.service).service
        attempts = self._attempts(cell, service)
        try:
            made = self._built(cell, service, attempts)
            descriptors = self._descriptors(cell, service, made)
            result = self._result(cell, made, descriptors, self.doors.clock() - began)
            self._record(result, service)
        except AttemptFailedError as error:
            return self._failed(cell, error.reason, began, error.attempts, error.log)
        except StoppedError:
            return self._failed(cell, "interrupted", began, attempts.count)
        except MabuildError as error:
            return self._failed(cell, error.message, began, attempts.count)
        return result

    def _attempts(self, cell: Cell, service: Service) -> Attempts:
        hosts = frozenset(image.registry for image in service.images)
        bases = frozenset(base.reference.registry for base in self.plan.bases if service.name in base.used_by)
        return Attempts(
            doors=self.doors,
            options=self.options,
            listener=self.listener,
            cooldowns=self.cooldowns,
            hosts=hosts | bases,
            emulated=cell.mode in {Mode.EMULATED, Mode.SYSTEM_EMULATED},
            adopt=lambda digest: self._has_arrived(service, digest),
        )

    def _built(self, cell: Cell, service: Service, attempts: Attempts) -> Made:
        output = output_of(service, cell, self.plan.node(cell.node), self.options, cell.key)
        request = build_request(self.plan, cell, self.made, self.options, output)
        return attempts.make(request, service.timeout or self.options.timeout)

    def _has_arrived(self, service: Service, digest: str) -> bool:
        """Whether every repository holds a digest: registries take a manifest only when its blobs are there."""
        if self.options.goal is not Goal.PUSH:
            return False
        try:
            for image in service.images:
                self.doors.store.resolve(image.with_digest(digest))
        except MabuildError:
            return False
        return True

    def _descriptors(self, cell: Cell, service: Service, made: Made) -> tuple[Descriptor, ...]:
        if self.options.goal is not Goal.PUSH:
            return ()
        return entries_of(self.doors.store.manifest(service.images[0].with_digest(made.digest)), cell.id.platform)

    def _result(self, cell: Cell, made: Made, descriptors: tuple[Descriptor, ...], seconds: float) -> CellResult:
        return CellResult(
            id=cell.id,
            outcome=Outcome.BUILT,
            digest=made.digest,
            descriptors=descriptors,
            node=cell.node,
            mode=cell.mode,
            key=cell.key,
            attempts=made.attempts,
            seconds=seconds,
        )

    def _failed(self, cell: Cell, reason: str, began: float, attempts: int, log: tuple[str, ...] = ()) -> CellResult:
        return CellResult(
            id=cell.id,
            outcome=Outcome.FAILED,
            node=cell.node,
            mode=cell.mode,
            key=cell.key,
            attempts=attempts,
            seconds=self.doors.clock() - began,
            reason=reason,
            log=log,
        )

    def _record(self, result: CellResult, service: Service) -> None:
        if self.options.records == Path():
            return
        record = Record(
            cell=result.id,
            key=result.key,
            digest=result.digest,
            descriptors=result.descriptors,
            repositories=tuple(image.name for image in service.images),
            node=result.node,
            mode=result.mode,
            seconds=result.seconds,
            attempts=result.attempts,
            created=self.doors.now(),
        )
        write_record(self.options.records, record)
