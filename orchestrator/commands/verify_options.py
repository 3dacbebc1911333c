"""The options of `verify`, described once."""

from __future__ import annotations

from typing import Annotated

import typer

References = Annotated[
    list[str] | None,
    typer.Argument(
        help="repo:tag, repo@digest, oci-layout:DIR, docker-daemon:NAME, or a service. Default: all of the fleet.",
        show_default=False,
    ),
]
VerifyLevel = Annotated[
    str,
    typer.Option(
        "--level", help="meta, exist, entrypoint or full. Default: the manifest's, else exist.", show_default=False
    ),
]
Since = Annotated[
    str, typer.Option("--since", help="Digest of an earlier list: no platform of it may be lost.", show_default=False)
]
Jobs = Annotated[int, typer.Option("--jobs", min=1, max=64, help="Requests at once.")]
Run = Annotated[
    bool, typer.Option("--run", help="Start the manifest's commands, or the entry point, on every platform.")
]
RunSeconds = Annotated[float, typer.Option("--run-timeout", min=1, help="Seconds that a started command may take.")]
RunsOn = Annotated[bool, typer.Option("--runs-on", help="Show which entry the usual nodes would take, and end.")]
Format = Annotated[str, typer.Option("--format", help="text, json, sarif, github, markdown or junit.")]
