"""`mabuild nodes`: what every builder node runs natively and what it emulates."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from orchestrator.commands.doors import asking_nodes, fleet_if_any
from orchestrator.commands.options import Builder, Color, Files, Output, Platforms, choice, platforms
from orchestrator.commands.session import Session, session
from orchestrator.core.errors import Exit
from orchestrator.core.finding import Finding
from orchestrator.core.plan import Node
from orchestrator.core.platform import Platform
from orchestrator.report.errors import finding_line
from orchestrator.report.nodes import nodes_json, nodes_table

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(epilog="Examples: mabuild nodes · mabuild nodes --install linux/arm64 · mabuild nodes --format json")
def nodes(
    ctx: typer.Context,
    files: Files = None,
    platform: Platforms = None,
    builder: Builder = "",
    install: Annotated[
        list[str] | None,
        typer.Option(
            "--install", help="Register an emulator for a platform (repeatable), then show.", show_default=False
        ),
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the builders that mabuild made.")] = False,
    refresh: Annotated[bool, typer.Option("--refresh", help="Ask again what is remembered.")] = False,
    output_format: Annotated[str, typer.Option("--format", help="table or json.")] = "table",
    output: Output = "",
    color: Color = None,
) -> int:
    """Show the builder nodes: what each runs natively, what it emulates and how much slower, and what proves it.

    Without nodes in a manifest these are the nodes of the selected buildx builder. A small program is run on each
    node once for each platform, because what buildx says does not tell native from emulated.
    """
    here = session(ctx, color=color)
    choice(output_format, {"table": "table", "json": "json"}, "--format")
    if remove:
        return _remove(here)
    for wanted in platforms(install):
        _install(wanted, here)
    from orchestrator.buildx.nodes import survey

    fleet = fleet_if_any(here, files)
    asked = platforms(platform)
    found = survey(fleet.nodes, asking_nodes(builder, here, asked, refresh=refresh or bool(install)))
    _warn(found.findings, here)
    shown = tuple(_only(node, asked) for node in found.nodes) if asked else found.nodes
    here.write(nodes_json(shown) if output_format == "json" else nodes_table(shown, here.screen(here.stdout)), output)
    return Exit.OK if shown and all(node.is_up for node in shown) else Exit.UNREACHABLE


def _only(node: Node, asked: tuple[Platform, ...]) -> Node:
    """The node with the architectures that were asked for, in all their variants."""
    wanted = {(platform.os, platform.architecture) for platform in asked}
    entries = (entry for entry in node.platforms if (entry.platform.os, entry.platform.architecture) in wanted)
    return replace(node, platforms=tuple(entries))


def _install(platform: Platform, here: Session) -> None:
    from orchestrator.buildx.emulator_install import install

    installed = install(platform, here.environment)
    here.say(f"{installed.platform}: {installed.done}\n")


def _remove(here: Session) -> int:
    from orchestrator.buildx.builders import own_builders, remove_builders

    names = own_builders(here.environment)
    remove_builders(names, here.environment)
    here.say("".join(f"removed {name}\n" for name in names) or "there is no builder of mabuild's\n")
    return Exit.OK


def _warn(findings: tuple[Finding, ...], here: Session) -> None:
    for finding in findings:
        here.say(f"{finding_line(finding)}\n{f'  hint: {finding.cause}' if finding.cause else ''}\n")
