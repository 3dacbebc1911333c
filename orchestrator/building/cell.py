"""One cell from its parents to its result: what is there is taken, what is not is built, and both leave a record."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from orchestrator.building.attempt import AttemptFailedError, Attempts, Cooldowns, Made
from orchestrator.building.entries import BUILT, KEY, entries_of, with_notes
from orchestrator.building.keys import Key, Keys
from orchestrator.building.lookup import Found, Lookup
from orchestrator.building.options import Doors, Goal, Options
from orchestrator.building.record import write_record
from orchestrator.building.request import Requests
from orchestrator.buildx.process import StoppedError
from orchestrator.core.errors import BuildError, Exit, MabuildError
from orchestrator.core.event import Listener, Notice
from orchestrator.core.fleet import Service
from orchestrator.core.image import Descriptor
from orchestrator.core.plan import Cell, Mode, Plan
from orchestrator.core.result import CellResult, Outcome, Record


@dataclass(slots=True)
class CellMaker:
    """Makes cells of a plan."""

    plan: Plan
    options: Options
    doors: Doors
    listener: Listener
    lookup: Lookup
    requests: Requests
    keys: Keys
    cooldowns: Cooldowns = field(init=False)

    def __post_init__(self) -> None:
        self.cooldowns = Cooldowns(self.doors.clock)

    def make(self, cell: Cell, *, fresh: bool = False) -> CellResult:
        """The result of a cell whose parents are made; a failure is a result too. `fresh` builds in any case."""
        began = self.doors.clock()
        service = self.plan.planned(cell.id.service).service
        attempts = self._attempts(cell, service)
        try:
            result = self._made(cell, service, attempts, fresh=fresh or self.options.force)
        except AttemptFailedError as error:
            result = _failed(cell, error.reason, error.attempts, error.log)
        except StoppedError:
            result = _failed(cell, "interrupted", attempts.count)
        except MabuildError as error:
            result = _failed(cell, str(error), attempts.count, exit_code=error.exit_code)
        return _with_seconds(result, self.doors.clock() - began)

    def _made(self, cell: Cell, service: Service, attempts: Attempts, *, fresh: bool) -> CellResult:
        began = self.doors.clock()
        is_asked_for = not self.options.only or cell.id in self.options.only
        key = self.keys.of(cell, self.requests.parents.made) if self.options.goal is Goal.PUSH else Key("")
        found = self._found(cell, service, key, fresh=fresh, is_asked_for=is_asked_for)
        if found:
            result = _unchanged(cell, key, found[0])
        elif is_asked_for:
            result = self._built(cell, service, key, attempts)
        else:
            raise BuildError(
                f"{cell.id} has not been built yet", hint="build it first, or hand its record in with --records"
            )
        if is_asked_for and self.options.goal is Goal.PUSH:
            self._record(_with_seconds(result, self.doors.clock() - began), service)
        return result

    def _found(self, cell: Cell, service: Service, key: Key, *, fresh: bool, is_asked_for: bool) -> tuple[Found, ...]:
        if self.options.goal is not Goal.PUSH:
            return ()
        found = () if fresh and is_asked_for else self.lookup.find(service, cell.id, key)
        if found or is_asked_for:
            return found
        found = self.lookup.recorded(service, cell.id)
        if found:
            self.listener(Notice(str(cell.id), "taken from its record, although something has changed since"))
        return found

    def _built(self, cell: Cell, service: Service, key: Key, attempts: Attempts) -> CellResult:
        for name in key.open:
            self.listener(Notice(str(cell.id), f"built in any case: {name}"))
        requests = self.requests.of(cell, key.value)
        made = [attempts.make(request, service.timeout or self.options.timeout) for request in requests][-1]
        return CellResult(
            id=cell.id,
            outcome=Outcome.BUILT,
            digest=made.digest,
            descriptors=self._descriptors(cell, service, key, made),
            node=cell.node if made.builder == self.plan.node(cell.node).builder else self._node(cell, made.builder),
            mode=cell.mode,
            key=key.value,
            attempts=made.attempts,
        )

    def _attempts(self, cell: Cell, service: Service) -> Attempts:
        hosts = frozenset(image.registry for image in service.images)
        bases = frozenset(base.reference.registry for base in self.plan.bases if service.name in base.used_by)
        return Attempts(
            doors=self.doors,
            options=self.options,
            listener=self.listener,
            cooldowns=self.cooldowns,
            hosts=hosts | bases,
            builders=self._builders(cell),
            emulated=cell.mode in {Mode.EMULATED, Mode.SYSTEM_EMULATED},
            adopt=lambda digest: self._has_arrived(service, digest),
        )

    def _builders(self, cell: Cell) -> tuple[str, ...]:
        """The builder of the planned node, then those of other nodes that build this platform in the same mode."""
        planned = self.plan.node(cell.node)
        others = (
            node.builder
            for node in self.plan.nodes
            if node.is_up and node.mode(cell.id.platform) is planned.mode(cell.id.platform)
        )
        return tuple(dict.fromkeys((planned.builder, *others)))

    def _node(self, cell: Cell, builder: str) -> str:
        return next((node.name for node in self.plan.nodes if node.builder == builder), cell.node)

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

    def _descriptors(self, cell: Cell, service: Service, key: Key, made: Made) -> tuple[Descriptor, ...]:
        if self.options.goal is Goal.LOAD and not self.requests.workshop.directory(cell.id).exists():
            return ()
        if self.options.goal is not Goal.PUSH:
            return self.requests.workshop.entries(service, cell.id, made.digest)
        document = self.doors.store.manifest(service.images[0].with_digest(made.digest))
        notes = {KEY: key.value, **({BUILT: self.doors.now()} if service.max_age else {})}
        return tuple(with_notes(entry, notes) for entry in entries_of(document, cell.id.platform))

    def _record(self, result: CellResult, service: Service) -> None:
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
        if self.options.records != Path():
            write_record(self.options.records, record)
        if result.outcome is Outcome.BUILT:
            self.lookup.memory.remember(service, record)


def _unchanged(cell: Cell, key: Key, found: Found) -> CellResult:
    return CellResult(
        id=cell.id,
        outcome=Outcome.UNCHANGED,
        digest=found.digest,
        descriptors=found.entries,
        node=cell.node,
        mode=cell.mode,
        key=key.value,
        reason="" if found.where == "published" else f"from a {found.where}",
    )


def _failed(
    cell: Cell, reason: str, attempts: int, log: tuple[str, ...] = (), exit_code: Exit = Exit.BAD
) -> CellResult:
    return CellResult(
        id=cell.id,
        outcome=Outcome.FAILED,
        node=cell.node,
        mode=cell.mode,
        attempts=attempts,
        reason=reason,
        log=log,
        exit_code=exit_code,
    )


def _with_seconds(result: CellResult, seconds: float) -> CellResult:
    return replace(result, seconds=seconds)
