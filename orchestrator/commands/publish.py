"""`mabuild publish`: records of cells that several machines built in, published indexes out."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.building.options import Options
from orchestrator.building.publish import preview
from orchestrator.building.publish import publish as publish_records
from orchestrator.building.record import read_records
from orchestrator.commands import build_options as opt
from orchestrator.commands.doors import load_fleet, opened_stores, reachable_registries
from orchestrator.commands.options import Color, Files, Services, choice
from orchestrator.commands.planned import planned_anywhere
from orchestrator.commands.run import (
    building_doors,
    exit_code,
    progress_name,
    revision,
    shown,
    stop_on_signals,
    tell,
    tell_journal,
)
from orchestrator.commands.session import session
from orchestrator.planning.select import Selection

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(epilog="Example: mabuild publish --records records --dry-run")
def publish(
    ctx: typer.Context,
    records: Annotated[str, typer.Option("--records", help="Folder with the records of all cells.")],
    services: Services = None,
    files: Files = None,
    scope: opt.Publish = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show tag, old digest and new digest; move nothing.")
    ] = False,
    no_verify: opt.NoVerify = False,
    progress: opt.ProgressStyle = "auto",
    output_format: opt.ResultFormat = "table",
    color: Color = None,
) -> int:
    """Join what several machines built: check that the records are complete, verify by digest, and move the tags.

    The records come from `mabuild build --cell … --records DIR` on each machine. An incomplete set moves no tag.
    """
    here = session(ctx, color=color)
    choice(output_format, {"table": "table", "json": "json"}, "--format")
    style = progress_name(progress, here)
    fleet = load_fleet(here, files)
    folder = here.directory / records
    options = Options(
        verify=not no_verify,
        journal=opt.journal_in(folder),
        scope=opt.scope_of(scope, fleet),
        annotations=revision(here),
    )
    with opened_stores(reachable_registries(fleet, here), here) as stores, stop_on_signals() as stop:
        plan = planned_anywhere(fleet, Selection(tuple(services or ())), here)
        doors = building_doors(here, stores, stop)
        found = read_records(folder)
        if dry_run:
            tell(preview(plan, found, options, doors), output_format, here)
            return 0
        results = shown(plan, style, here, lambda listener: publish_records(plan, found, options, doors, listener))
    tell(results, output_format, here)
    tell_journal(options.journal, here)
    return exit_code(results, stop)
