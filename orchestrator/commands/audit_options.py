"""The options of `audit`, described once."""

from __future__ import annotations

from typing import Annotated

import typer

Paths = Annotated[
    list[str] | None,
    typer.Argument(help="Dockerfiles, or folders to look through. Default: those of the fleet.", show_default=False),
]
ApplyFixes = Annotated[bool, typer.Option("--fix", help="Apply the fixes that cannot change an amd64 build.")]
UnsafeFixes = Annotated[bool, typer.Option("--unsafe-fixes", help="Apply also fixes that need a look.")]
Diff = Annotated[bool, typer.Option("--diff", help="Show what the fixes would change, and change nothing.")]
FailOn = Annotated[str, typer.Option(help="Exit with 1 from here on: error, warning, note or never.")]
Select = Annotated[list[str] | None, typer.Option(help="Only these rules: MA301, MA3, or a name.", show_default=False)]
Ignore = Annotated[list[str] | None, typer.Option(help="Not these rules.", show_default=False)]
Explain = Annotated[str, typer.Option(help="Explain a rule and end.", show_default=False)]
ListRules = Annotated[bool, typer.Option("--list-rules", help="List all rules and end.")]
Packages = Annotated[bool, typer.Option("--packages", help="Ask indexes whether all platforms have each package.")]
Online = Annotated[bool, typer.Option("--online", help="Ask registries for the platforms of base images.")]
CheckUrls = Annotated[
    bool, typer.Option("--check-urls", help="Ask servers with HEAD whether the other architecture's file exists.")
]
CiFiles = Annotated[bool, typer.Option("--ci", help="Look through .github/workflows as well.")]
Baseline = Annotated[
    str, typer.Option("--baseline", help="File of known findings; written where it does not exist.", show_default=False)
]
Statistics = Annotated[bool, typer.Option("--statistics", help="Count findings by rule.")]
Format = Annotated[str, typer.Option("--format", help="text, json, sarif, github, markdown or junit.")]
