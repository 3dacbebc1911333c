"""What became of cells, indexes and tags, and the record file that tells it to another machine."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from orchestrator.core.errors import Exit
from orchestrator.core.image import Descriptor
from orchestrator.core.plan import CellId, Mode


class Outcome(StrEnum):
    """How a task ended."""

    BUILT = "built"
    UNCHANGED = "unchanged"
    FAILED = "failed"
    SKIPPED = "skipped"

    @property
    def is_good(self) -> bool:
        """Whether the image is there."""
        return self in {Outcome.BUILT, Outcome.UNCHANGED}


@dataclass(frozen=True, slots=True)
class CellResult:
    """`digest` is what the build pushed (an image, or an index of the image and its attestations).

    `descriptors` are the entries for the service's index: the image first, then its attestations.
    `log` holds the last lines of a failed step; `exit_code` is what a failure means for the whole.
    """

    id: CellId
    outcome: Outcome
    digest: str = ""
    descriptors: tuple[Descriptor, ...] = ()
    node: str = ""
    mode: Mode = Mode.NATIVE
    key: str = ""
    attempts: int = 0
    seconds: float = 0.0
    reason: str = ""
    log: tuple[str, ...] = ()
    exit_code: Exit = Exit.BAD


@dataclass(frozen=True, slots=True)
class TagMove:
    """A tag and the digests before and after; an empty old digest: the tag did not exist."""

    reference: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class IndexResult:
    """The index of a service and the tags that point at it."""

    service: str
    outcome: Outcome
    digest: str = ""
    tags: tuple[TagMove, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Results:
    """All of a run, in plan order."""

    cells: tuple[CellResult, ...]
    indexes: tuple[IndexResult, ...]

    @property
    def is_good(self) -> bool:
        """Whether everything that was asked for is there."""
        cells = all(cell.outcome.is_good for cell in self.cells)
        return cells and all(index.outcome.is_good for index in self.indexes)


@dataclass(frozen=True, slots=True)
class Record:
    """The record file of one cell (`created` is RFC 3339, UTC)."""

    cell: CellId
    key: str
    digest: str
    descriptors: tuple[Descriptor, ...]
    repositories: tuple[str, ...]
    node: str
    mode: Mode
    seconds: float
    attempts: int
    created: str
