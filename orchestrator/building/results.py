"""Results of tasks that need no work, and how results are told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from orchestrator.core.errors import MabuildError
from orchestrator.core.event import Listener, Phase, StateChanged
from orchestrator.core.plan import Cell
from orchestrator.core.result import CellResult, IndexResult, Outcome

PHASES: Final = {
    Outcome.BUILT: Phase.BUILT,
    Outcome.UNCHANGED: Phase.UNCHANGED,
    Outcome.FAILED: Phase.FAILED,
    Outcome.SKIPPED: Phase.SKIPPED,
}


def tell(listener: Listener, task: str, result: CellResult | IndexResult) -> None:
    """Say how a task ended."""
    listener(StateChanged(task, PHASES[result.outcome], result.reason))


def skipped_cell(cell: Cell, reason: str) -> CellResult:
    """The result of a cell that was never started."""
    return CellResult(cell.id, Outcome.SKIPPED, node=cell.node, mode=cell.mode, reason=reason)


def failed_index(service: str, error: MabuildError, digest: str = "") -> IndexResult:
    """The result of an index that could not be made or tagged."""
    return IndexResult(service, Outcome.FAILED, digest, (), f"{error}; {error.hint}" if error.hint else str(error))


def index_result(service: str, digest: str, cells: Sequence[CellResult]) -> IndexResult:
    """The result of an index that is there; unchanged where nothing of it was built."""
    unchanged = all(cell.outcome is Outcome.UNCHANGED for cell in cells)
    return IndexResult(service, Outcome.UNCHANGED if unchanged else Outcome.BUILT, digest)


def untagged(indexes: Sequence[IndexResult], why: str) -> tuple[IndexResult, ...]:
    """Indexes that are there, but whose tags do not move."""
    return tuple(
        IndexResult(index.service, Outcome.SKIPPED, index.digest, (), why) if index.outcome.is_good else index
        for index in indexes
    )
