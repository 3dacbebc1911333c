"""`mabuild rollback`: a journal in, tags back where they were."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.building.rollback import rollback as put_back
from orchestrator.commands.doors import fleet_if_any, opened_stores
from orchestrator.commands.options import Color, Files, choice
from orchestrator.commands.run import timestamp
from orchestrator.commands.session import session
from orchestrator.core.errors import Exit
from orchestrator.report.shapes import document

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(epilog="Example: mabuild rollback records/journal-20260101T120000Z-1.jsonl")
def rollback(
    ctx: typer.Context,
    journal: Annotated[str, typer.Argument(help="The journal that a build or publish wrote.")],
    files: Files = None,
    output_format: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
    color: Color = None,
) -> int:
    """Put the tags of a journal back to the digests that they had before, unless somebody has moved them since."""
    here = session(ctx, color=color)
    choice(output_format, {"text": "text", "json": "json"}, "--format")
    fleet = fleet_if_any(here, files)
    with opened_stores(fleet.registries, here) as stores:
        restored = put_back(here.directory / journal, stores.client, timestamp)
    if output_format == "json":
        tags = [
            {
                "reference": str(one.reference),
                "wanted": one.wanted or None,
                "now": one.now or None,
                "message": one.message,
            }
            for one in restored
        ]
        here.write(document({"tags": tags}))
    else:
        here.write("".join(f"{one.reference}: {one.message}\n" for one in restored) or "the journal holds no move\n")
    return Exit.OK if all(one.is_good for one in restored) else Exit.BAD
