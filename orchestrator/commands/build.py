"""`mabuild build`: a plan in, built and published images out."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Annotated

import typer

from orchestrator.building.options import Doors, Goal, Options
from orchestrator.building.run import build as build_plan
from orchestrator.commands.doors import (
    asking,
    finding_nodes,
    load_fleet,
    opened_stores,
    proving,
    reachable_registries,
    this_platform,
)
from orchestrator.commands.durations import durations, remember
from orchestrator.commands.options import Builder, Color, Files, Platforms, Services, choice, platforms
from orchestrator.commands.session import Session, session
from orchestrator.core.errors import Exit, UsageError
from orchestrator.core.plan import Plan
from orchestrator.core.result import Outcome, Results
from orchestrator.planning.plan import Doors as PlanDoors
from orchestrator.planning.plan import Options as PlanOptions
from orchestrator.planning.plan import make_plan
from orchestrator.planning.reading import DockerfileRecipes
from orchestrator.planning.select import Selection
from orchestrator.registry.stores import Stores
from orchestrator.report.plan import FORMATS as PLAN_FORMATS
from orchestrator.report.progress import PROGRESS
from orchestrator.report.progress.task import Task
from orchestrator.report.results import failure_text, results_json, results_table

app = typer.Typer(rich_markup_mode=None)
_JOURNAL = "journal.jsonl"


@app.command(
    epilog="Examples: mabuild build --push · mabuild build api+ --push --keep-going · mabuild build --push --dry-run"
)
def build(
    ctx: typer.Context,
    services: Services = None,
    files: Files = None,
    platform: Platforms = None,
    builder: Builder = "",
    push: Annotated[bool, typer.Option("--push", help="Push to the registry, and move the tags at the end.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan and do nothing.")] = False,
    records: Annotated[
        str, typer.Option(help="Folder for a record of each cell and the journal of tags.", show_default=False)
    ] = "",
    parallel: Annotated[int, typer.Option(min=1, max=256, help="Cells at once, over all nodes.")] = 8,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", "-k", help="After a failure, build all that does not depend on it.")
    ] = False,
    allow_missing_nodes: Annotated[
        bool, typer.Option("--allow-missing-nodes", help="Build without nodes that are down.")
    ] = False,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Build without BuildKit's cache.")] = False,
    pull: Annotated[bool, typer.Option("--pull", help="Ask for newer base images.")] = False,
    no_verify: Annotated[bool, typer.Option("--no-verify", help="Move tags without proving the images.")] = False,
    progress: Annotated[str, typer.Option(help="auto, rich, plain, json, github or quiet.")] = "auto",
    output_format: Annotated[str, typer.Option("--format", help="table or json.")] = "table",
    color: Color = None,
) -> int:
    """Build all platforms of all services side by side, and move a tag only when everything is there and proven.

    Every service is built for each platform by the node that the plan names, and pushed by digest. The list of
    platforms is joined, verified, and only then the tags move.
    """
    here = session(ctx, color=color)
    choice(output_format, {"table": "table", "json": "json"}, "--format")
    shown = _progress(progress, here)
    if not push and not dry_run:
        raise UsageError("where do the images go?", hint="say --push (or --dry-run to see the plan)")
    fleet = load_fleet(here, files)
    with opened_stores(reachable_registries(fleet, here), here) as stores, _stop_on_signals() as stop:
        doors = PlanDoors(
            finding_nodes(fleet, builder, here, platforms(platform)), asking(stores.client), DockerfileRecipes(fleet)
        )
        plan_options = PlanOptions(
            host=this_platform(), allow_missing_nodes=allow_missing_nodes, history=durations(here)
        )
        plan = make_plan(fleet, Selection(tuple(services or ()), platforms(platform)), doors, plan_options)
        if dry_run:
            here.write(PLAN_FORMATS["table" if output_format == "table" else "json"](plan, here.screen(here.stdout)))
            return Exit.OK
        options = Options(
            goal=Goal.PUSH,
            records=here.directory / records if records else Path(),
            journal=(here.directory / records if records else here.cache_directory) / _JOURNAL,
            parallel=parallel,
            keep_going=keep_going,
            no_cache=no_cache,
            pull=pull,
            verify=not no_verify,
            scope=fleet.publish.scope,
        )
        results = _run(plan, options, _doors(here, stores, stop), here, shown)
    remember(results, here)
    _tell(results, output_format, here)
    return Exit.INTERRUPTED if stop.is_set() else Exit.OK if results.is_good else Exit.BAD


def _progress(name: str, here: Session) -> str:
    if name != "auto":
        return choice(name, {one: one for one in PROGRESS}, "--progress")
    if here.in_github_actions:
        return "github"
    return "rich" if here.screen(here.stderr).live else "plain"


def _doors(here: Session, stores: Stores, stop: Event) -> Doors:
    from orchestrator.buildx.build import Buildx

    return Doors(
        builder=Buildx(here.environment),
        store=stores.client,
        verify=proving(stores, here),
        clock=time.monotonic,
        now=lambda: datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        sleep=time.sleep,
        stopping=stop.is_set,
    )


def _run(plan: Plan, options: Options, doors: Doors, here: Session, shown: str) -> Results:
    cells = [Task(str(cell.id), cell.node, cell.mode.value, cell.estimate_seconds) for cell in plan.cells]
    indexes = [Task(planned.service.name) for planned in plan.services]
    with PROGRESS[shown]((*cells, *indexes), here.stderr, here.screen(here.stderr)) as listener:
        return build_plan(plan, options, doors, listener)


def _tell(results: Results, output_format: str, here: Session) -> None:
    for cell in results.cells:
        if cell.outcome is Outcome.FAILED:
            here.say(failure_text(cell))
    here.write(results_json(results) if output_format == "json" else results_table(results, here.screen(here.stdout)))


@contextmanager
def _stop_on_signals() -> Iterator[Event]:
    """An event that Ctrl-C and SIGTERM set, so that a build ends in order; a second Ctrl-C ends it at once."""
    stop = Event()

    def note(number: int, frame: object) -> None:  # noqa: ARG001
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
