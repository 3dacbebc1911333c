"""`mabuild doctor`: whether this machine can build both platforms, and what mends it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from orchestrator.commands.doors import asking_nodes, fleet_if_any
from orchestrator.commands.options import Builder, Color, Files, Output, Platforms, choice, platforms
from orchestrator.commands.session import Session, session
from orchestrator.core.errors import Exit, MabuildError
from orchestrator.core.fleet import Fleet
from orchestrator.core.plan import Node
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.report.doctor import doctor_json, doctor_page

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(epilog="Example: mabuild doctor --platform linux/arm64,linux/arm/v7")
def doctor(
    ctx: typer.Context,
    files: Files = None,
    platform: Platforms = None,
    builder: Builder = "",
    output_format: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
    output: Output = "",
    color: Color = None,
) -> int:
    """One page: can this machine build both platforms, what is missing, and the command that mends it."""
    here = session(ctx, color=color)
    choice(output_format, {"text": "text", "json": "json"}, "--format")
    from orchestrator.buildx.doctor import Circumstances, examine

    fleet = fleet_if_any(here, files)
    wanted = platforms(platform) or _platforms(fleet)
    nodes = _nodes(fleet, builder, here, wanted)
    checks = examine(Circumstances(here.environment, nodes, wanted, lambda: datetime.now(UTC)))
    text = doctor_json(checks) if output_format == "json" else doctor_page(checks, here.screen(here.stdout))
    here.write(text, output)
    return Exit.OK if all(one.ok or not one.needed for one in checks) else Exit.UNREACHABLE


def _platforms(fleet: Fleet) -> tuple[Platform, ...]:
    """What the fleet builds, or the usual two."""
    found = tuple(dict.fromkeys(platform for service in fleet.services for platform in service.platforms))
    return found or (LINUX_AMD64, LINUX_ARM64)


def _nodes(fleet: Fleet, builder: str, here: Session, wanted: tuple[Platform, ...]) -> tuple[Node, ...]:
    """The nodes that answer; none where docker itself is missing, which a check of its own tells."""
    from orchestrator.buildx.nodes import find_nodes

    try:
        return find_nodes(fleet.nodes, asking_nodes(builder, here, wanted))
    except MabuildError:
        return ()
