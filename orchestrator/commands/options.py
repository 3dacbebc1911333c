"""The options that commands share, each described once."""

from __future__ import annotations

from typing import Annotated, TypeVar

import typer

from orchestrator.commands.completion import complete_platform, complete_service
from orchestrator.core.duration import seconds_of
from orchestrator.core.errors import UsageError
from orchestrator.core.platform import Platform

T = TypeVar("T")

Services = Annotated[
    list[str] | None,
    typer.Argument(
        help="Services; `api+` adds all that depend on api. Needed parents always come along.",
        show_default=False,
        autocompletion=complete_service,
    ),
]
Files = Annotated[
    list[str] | None,
    typer.Option(
        "--file",
        "-f",
        help="Manifest file or folder (repeatable). Default: mabuild.yaml, else manifests/.",
        show_default=False,
    ),
]
Platforms = Annotated[
    list[str] | None,
    typer.Option(
        "--platform",
        help="Only these platforms (repeatable, or a comma list).",
        show_default=False,
        autocompletion=complete_platform,
    ),
]
Builder = Annotated[str, typer.Option("--builder", help="buildx builder to use.", show_default=False)]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="SERVICE.KEY=VALUE in the place of what a manifest says (repeatable).", show_default=False
    ),
]
Output = Annotated[
    str, typer.Option("--output", "-o", help="Write to this file instead of stdout.", show_default=False)
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Only the answer.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Say more.")]
Color = Annotated[
    bool | None, typer.Option("--color/--no-color", help="Colours (default: in a terminal).", show_default=False)
]


def platforms(texts: list[str] | None) -> tuple[Platform, ...]:
    """The platforms of `--platform a,b --platform c`, without repetition."""
    parts = [part for text in texts or () for part in text.split(",") if part.strip()]
    return tuple(dict.fromkeys(Platform.parse(part) for part in parts))


def duration(text: str, option: str) -> float:
    """The seconds of a duration on the command line."""
    try:
        return seconds_of(text)
    except UsageError as error:
        raise UsageError(f"{option}: {error.message}") from error


def choice(text: str, allowed: dict[str, T], option: str) -> T:
    """What a word on the command line stands for; UsageError with the allowed words where it is none of them."""
    if text not in allowed:
        raise UsageError(f"{option} {text!r} is not known", hint=f"use one of: {', '.join(allowed)}")
    return allowed[text]
