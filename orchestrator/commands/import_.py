"""`mabuild import`: a compose or bake file in, a manifest out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.commands.importing import MANIFEST, import_file, tell_left_out, write_manifest
from orchestrator.commands.session import session
from orchestrator.core.errors import Exit
from orchestrator.report.summary import plural

app = typer.Typer(rich_markup_mode=None, add_completion=False)

DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the manifest and write nothing.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite a manifest that is there.")]


@app.command(epilog="Examples: mabuild import compose.yaml · mabuild import docker-bake.hcl --dry-run")
def import_(
    ctx: typer.Context,
    file: Annotated[
        str, typer.Argument(help="A compose file (YAML) or a bake file (HCL or JSON).", show_default=False)
    ],
    output: Annotated[str, typer.Option("--output", "-o", help="The manifest to write.")] = MANIFEST,
    dry_run: DryRun = False,
    force: Force = False,
) -> int:
    """Make a manifest of a compose or bake file, and list what could not be carried over.

    A bake file is worked out by `docker buildx bake --print`. A compose file is read as it is, with `extends` and
    anchors, so that its variables stay variables; one with `include` goes through `docker compose config` where that
    is installed.
    """
    here = session(ctx)
    folder = Path(os.path.normpath(here.directory / output)).parent
    imported = import_file(file, folder, here)
    if dry_run:
        here.write(imported.text)
    else:
        write_manifest(imported.text, output, here, force=force)
    tell_left_out(imported, here)
    done = "would be" if dry_run else "are"
    here.say(
        f"{plural(len(imported.draft.services), 'service')} {done} in {output}; next: mabuild audit, mabuild plan\n"
    )
    return Exit.OK
