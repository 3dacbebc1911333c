"""`mabuild build`: a plan in, built and published images out."""

from __future__ import annotations

import json
import time

import typer

from orchestrator.building.metadata import metadata_fields
from orchestrator.building.options import Goal, Options
from orchestrator.building.run import build as build_plan
from orchestrator.commands import build_options as opt
from orchestrator.commands.build_options import Wishes, building_options
from orchestrator.commands.doors import load_fleet, opened_stores, reachable_registries
from orchestrator.commands.durations import remember
from orchestrator.commands.options import Builder, Color, Files, Overrides, Platforms, Services, choice, platforms
from orchestrator.commands.planned import planned, selected
from orchestrator.commands.run import (
    building_doors,
    exit_code,
    progress_name,
    revision,
    shown,
    stop_on_signals,
    tell,
    tell_journal,
    timestamp,
)
from orchestrator.commands.session import Session, session
from orchestrator.core.errors import Exit
from orchestrator.core.result import Results
from orchestrator.report.page.page import page
from orchestrator.report.page.timeline import Timeline
from orchestrator.report.plan import FORMATS as PLAN_FORMATS

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(
    epilog="Examples: mabuild build --push · mabuild build api+ --push -k · mabuild build --cell api@linux/arm64"
)
def build(
    ctx: typer.Context,
    services: Services = None,
    files: Files = None,
    platform: Platforms = None,
    builder: Builder = "",
    overrides: Overrides = None,
    push: opt.Push = False,
    load: opt.Load = False,
    layouts: opt.Layouts = "",
    dry_run: opt.DryRun = False,
    cell: opt.Cells = None,
    records: opt.Records = "",
    publish: opt.Publish = "",
    force: opt.Force = False,
    keep_going: opt.KeepGoing = False,
    parallel: opt.Parallel = 8,
    retries: opt.Retries = 3,
    timeout: opt.Timeout = "",
    allow_missing_nodes: opt.MissingNodes = False,
    no_cache: opt.NoCache = False,
    pull: opt.Pull = False,
    no_verify: opt.NoVerify = False,
    metadata_file: opt.MetadataFile = "",
    report: opt.Report = "",
    progress: opt.ProgressStyle = "auto",
    output_format: opt.ResultFormat = "table",
    color: Color = None,
) -> int:
    """Build all platforms of all services side by side, and move a tag only when everything is there and proven.

    Every service is built for each platform by the node that the plan names, and pushed by digest. The platforms are
    joined to one list, the list is verified, and only then the tags move. What is unchanged is not built again.
    """
    here = session(ctx, color=color)
    choice(output_format, {"table": "table", "json": "json"}, "--format")
    style = progress_name(progress, here)
    wishes = Wishes(
        push, load, layouts, tuple(cell or ()), records, parallel, keep_going, force, no_cache, pull, not no_verify,
        retries, timeout, publish,
    )  # fmt: skip
    fleet = load_fleet(here, files, overrides)
    options = building_options(wishes, fleet, here, revision(here))
    with opened_stores(reachable_registries(fleet, here), here) as stores, stop_on_signals() as stop:
        selection = selected(services, platforms(platform), options.only)
        plan = planned(fleet, selection, builder, here, stores, allow_missing_nodes=allow_missing_nodes)
        if dry_run:
            here.write(PLAN_FORMATS[output_format](plan, here.screen(here.stdout)))
            return Exit.OK
        doors = building_doors(here, stores, stop)
        timeline = Timeline(time.monotonic)
        results = shown(plan, style, here, lambda listener: build_plan(plan, options, doors, timeline.before(listener)))
    _end(results, options, output_format, here)
    if metadata_file:
        here.write(json.dumps(metadata_fields(plan, results), indent=2) + "\n", metadata_file)
    if report:
        here.write(page(plan, results, timeline.spans(), f"Build of {', '.join(fleet.files)}", timestamp()), report)
    return exit_code(results, stop)


def _end(results: Results, options: Options, output_format: str, here: Session) -> None:
    remember(results, here)
    tell(results, output_format, here)
    tell_journal(options.journal, here)
    here.say(_where(options, results))


def _where(options: Options, results: Results) -> str:
    """Where layouts are; nothing for other goals and where nothing was written."""
    if options.goal is not Goal.LAYOUT or not results.is_good:
        return ""
    return f"one OCI layout a service in {options.directory}; --push publishes instead\n"
