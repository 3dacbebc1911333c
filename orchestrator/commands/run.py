"""What `build` and `publish` share: doors, progress, signals, and telling the end."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from orchestrator.building.options import Descent, Doors
from orchestrator.commands.doors import proving
from orchestrator.commands.options import choice
from orchestrator.commands.session import Session
from orchestrator.commands.step import outputs_of_results, tell_step
from orchestrator.core.errors import Exit
from orchestrator.core.event import Listener
from orchestrator.core.fleet import Pairs
from orchestrator.core.plan import Plan
from orchestrator.core.result import Outcome, Results
from orchestrator.report.progress import PROGRESS
from orchestrator.report.progress.task import Task
from orchestrator.report.results import failure_text, results_json, results_markdown, results_table

if TYPE_CHECKING:
    from orchestrator.registry.stores import Stores

_REVISION = "org.opencontainers.image.revision"


def building_doors(here: Session, stores: Stores, stop: Event) -> Doors:
    """The doors of this process: docker, the registry, the clock."""
    from orchestrator.buildx.build import Buildx

    return Doors(
        builder=Buildx(here.environment),
        store=stores.client,
        verify=proving(stores, here),
        clock=time.monotonic,
        now=timestamp,
        sleep=time.sleep,
        stopping=stop.is_set,
        descends=lambda new, old: _descent(new, old, here),
    )


def _descent(new: str, old: str, here: Session) -> Descent:
    """How one commit stands to another, as far as git knows here."""
    from orchestrator.buildx.ancestry import is_ancestor
    from orchestrator.buildx.process import Processes

    # Processes of its own: those of the builds are stopped by a signal, and a tag may still be moving then.
    known = is_ancestor(old, new, here.directory, here.environment, Processes())
    return (Descent.NEWER if known[0] else Descent.NOT_NEWER) if known else Descent.UNKNOWN


def timestamp() -> str:
    """Now, as RFC 3339 in UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def revision(here: Session) -> Pairs:
    """The annotation that says from which commit an index is; nothing outside git."""
    from orchestrator.manifest.git import GitVariables

    commit = GitVariables(here.directory, here.environment).get("GIT_SHA")
    return ((_REVISION, commit),) if commit else ()


def progress_name(name: str, here: Session) -> str:
    """The way to show progress: the one that was asked for, or the one that suits the surroundings."""
    if name != "auto":
        return choice(name, {one: one for one in ("auto", *PROGRESS)}, "--progress")
    if here.ci in PROGRESS:
        return here.ci
    return "rich" if here.screen(here.stderr).live else "plain"


def shown(plan: Plan, style: str, here: Session, work: Callable[[Listener], Results]) -> Results:
    """Run something that tells events, and show them."""
    cells = [Task(str(cell.id), cell.node, cell.mode.value, cell.estimate_seconds) for cell in plan.cells]
    indexes = [Task(planned.service.name) for planned in plan.services]
    with PROGRESS[style]((*cells, *indexes), here.stderr, here.screen(here.stderr)) as listener:
        return work(listener)


def tell(results: Results, output_format: str, here: Session) -> None:
    """The end: failed steps to stderr, the table or JSON to stdout, and tables to the step summary of a CI job."""
    for cell in results.cells:
        if cell.outcome is Outcome.FAILED:
            here.say(failure_text(cell))
    here.write(results_json(results) if output_format == "json" else results_table(results, here.screen(here.stdout)))
    tell_step(here, outputs_of_results(results), results_markdown(results))


def tell_journal(journal: Path, here: Session) -> None:
    """How the tags that moved are put back; nothing where none moved."""
    if journal.exists():
        here.say(f"to put the tags back: mabuild rollback {journal}\n")


def exit_code(results: Results, stop: Event) -> int:
    """0 where everything is there, 130 where a signal ended it, 4 where a registry could not be asked for any cell."""
    if results.is_good:
        return Exit.OK
    if stop.is_set():
        return Exit.INTERRUPTED
    codes = {cell.exit_code for cell in results.cells if cell.outcome is Outcome.FAILED}
    return Exit.UNREACHABLE if codes == {Exit.UNREACHABLE} else Exit.BAD


@contextmanager
def stop_on_signals() -> Iterator[Event]:
    """An event that Ctrl-C and SIGTERM set, so that a build ends in order; a second Ctrl-C ends it at once."""
    stop = Event()

    def note(number: int, frame: object) -> None:  # noqa: ARG001
        if stop.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        stop.set()

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
