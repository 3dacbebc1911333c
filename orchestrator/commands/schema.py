"""`mabuild schema`: the JSON Schema of manifests, for editors."""

from __future__ import annotations

import json

import typer

from orchestrator.commands.options import Output
from orchestrator.commands.session import session
from orchestrator.core.errors import Exit

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(epilog="Example: mabuild schema -o mabuild.schema.json")
def schema(ctx: typer.Context, output: Output = "") -> int:
    """Print the JSON Schema (2020-12) of manifests.

    An editor with YAML support reads it from a first line such as
    `# yaml-language-server: $schema=mabuild.schema.json`.
    """
    from orchestrator.manifest.schema import schema as manifest_schema

    session(ctx).write(json.dumps(manifest_schema(), indent=2, ensure_ascii=False) + "\n", output)
    return Exit.OK
