"""From built cells to a service's index: the gate, the bytes, every repository by digest, and the proof."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orchestrator.building.annotations import index_annotations
from orchestrator.building.entries import TAGS
from orchestrator.building.index import index_document, require_platforms
from orchestrator.building.options import Doors, Goal, Options
from orchestrator.building.published import PublishedIndexes
from orchestrator.building.tags import in_order
from orchestrator.core.errors import BuildError
from orchestrator.core.event import Listener, Phase, StateChanged
from orchestrator.core.finding import Finding, Severity
from orchestrator.core.fleet import Service
from orchestrator.core.image import Descriptor, Document
from orchestrator.core.plan import Plan
from orchestrator.core.result import CellResult, Outcome
from orchestrator.registry.errors import NotFoundError, RegistryError

_LOST = frozenset({"MV201", "MV205"})


class LostError(BuildError):
    """The registry no longer has what was pushed, or says so; building again pushes it again."""


@dataclass(frozen=True, slots=True)
class Publisher:
    """Puts indexes by digest and proves them; no tag moves here."""

    plan: Plan
    options: Options
    doors: Doors
    listener: Listener
    published: PublishedIndexes

    def index(self, service: Service, cells: Sequence[CellResult]) -> Document:
        """The index of a service, in every repository and proven. BuildError, LostError, RegistryError."""
        document = self.document(service, cells)
        standing = self._standing(service, cells)
        if standing:
            return standing[0]
        for image in service.images:
            try:
                self.doors.store.put_manifest(image.with_digest(document.digest), document)
            except (NotFoundError, RegistryError) as error:
                if isinstance(error, RegistryError) and error.status not in {400, 404}:
                    raise
                raise LostError(error.message, hint=error.hint) from error
        if self.options.verify:
            self._prove(service, document)
        return document

    def document(self, service: Service, cells: Sequence[CellResult]) -> Document:
        """The bytes of a service's index; BuildError where the platforms built are not those of the plan."""
        planned = tuple(cell.id.platform for cell in self.plan.cells_of(service.name))
        require_platforms(service.name, service.platforms if self.options.goal is Goal.PUSH else planned, cells)
        tags = ((TAGS, " ".join(in_order(service.tags))),) if service.tags else ()
        return index_document(cells, (*index_annotations(service), *self.options.annotations, *tags))

    def _standing(self, service: Service, cells: Sequence[CellResult]) -> tuple[Document, ...]:
        """The published index, if it is made of exactly these images already."""
        if any(cell.outcome is not Outcome.UNCHANGED or cell.reason for cell in cells):
            return ()
        entries = _content(entry for cell in cells for entry in cell.descriptors)
        indexes = self.published.of(service.name).indexes
        return tuple(index.document for index in indexes if _content(index.entries) == entries)

    def _prove(self, service: Service, document: Document) -> None:
        self.listener(StateChanged(service.name, Phase.VERIFYING))
        platforms = tuple(cell.id.platform for cell in self.plan.cells_of(service.name))
        for image in service.images:
            findings = self.doors.verify(service, image.with_digest(document.digest), platforms)
            wrong = [finding for finding in findings if finding.severity is Severity.ERROR]
            if wrong:
                raise _refused(wrong)


def _content(entries: Iterable[Descriptor]) -> list[tuple[str, dict[str, str]]]:
    return [(entry.digest, dict(entry.annotations)) for entry in entries]


def _refused(wrong: list[Finding]) -> BuildError:
    more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    message = f"not published, {wrong[0].rule} {wrong[0].message}{more}"
    lost = all(finding.rule in _LOST for finding in wrong)
    return (LostError if lost else BuildError)(message, hint=wrong[0].cause)
