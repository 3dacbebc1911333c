"""`mabuild nodes`: what every builder node runs natively and what it emulates."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.commands.doors import finding_nodes, fleet_if_any
from orchestrator.commands.options import Builder, Color, Files, Output, Platforms, choice, platforms
from orchestrator.commands.session import session
from orchestrator.core.errors import Exit
from orchestrator.report.nodes import nodes_json, nodes_table

app = typer.Typer(rich_markup_mode=None)


@app.command()
def nodes(
    ctx: typer.Context,
    files: Files = None,
    platform: Platforms = None,
    builder: Builder = "",
    refresh: Annotated[bool, typer.Option("--refresh", help="Ask again what is remembered.")] = False,
    output_format: Annotated[str, typer.Option("--format", help="table or json.")] = "table",
    output: Output = "",
    color: Color = None,
) -> int:
    """Show the builder nodes: what each runs natively, what it emulates, and what proves it.

    Without nodes in a manifest these are the nodes of the selected buildx builder.
    """
    here = session(ctx, color=color)
    choice(output_format, {"table": "table", "json": "json"}, "--format")
    found = finding_nodes(fleet_if_any(here, files), builder, here, platforms(platform), refresh=refresh)()
    text = nodes_json(found) if output_format == "json" else nodes_table(found, here.screen(here.stdout))
    here.write(text, output)
    return Exit.OK if found and all(node.is_up for node in found) else Exit.UNREACHABLE
