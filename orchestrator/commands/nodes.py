"""`mabuild nodes`: what every builder node runs natively and what it emulates."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.commands.doors import finding_nodes, load_fleet
from orchestrator.commands.options import Builder, Color, Files, Output, choice
from orchestrator.commands.session import Session, session
from orchestrator.core.errors import Exit, UsageError
from orchestrator.core.fleet import Fleet
from orchestrator.report.nodes import nodes_json, nodes_table

app = typer.Typer(rich_markup_mode=None)


@app.command()
def nodes(
    ctx: typer.Context,
    files: Files = None,
    builder: Builder = "",
    output_format: Annotated[str, typer.Option("--format", help="table or json.")] = "table",
    output: Output = "",
    color: Color = None,
) -> int:
    """Show the builder nodes: what each runs natively, what it emulates, and what proves it.

    Without nodes in a manifest these are the nodes of the selected buildx builder.
    """
    here = session(ctx, color=color)
    choice(output_format, {"table": "table", "json": "json"}, "--format")
    found = finding_nodes(_fleet_if_any(here, files), builder, here)()
    text = nodes_json(found) if output_format == "json" else nodes_table(found, here.screen(here.stdout))
    here.write(text, output)
    return Exit.OK if found and all(node.is_up for node in found) else Exit.UNREACHABLE


def _fleet_if_any(here: Session, files: list[str] | None) -> Fleet:
    """The fleet, or an empty one where the user named no manifest and there is none."""
    if files:
        return load_fleet(here, files)
    try:
        return load_fleet(here, files)
    except UsageError:
        return Fleet(())
