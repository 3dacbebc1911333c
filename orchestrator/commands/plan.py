"""`mabuild plan`: manifests in, a plan out."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.commands.audit_options import Packages
from orchestrator.commands.doors import (
    load_fleet,
    opened_stores,
    reachable_registries,
    this_platform,
)
from orchestrator.commands.durations import durations
from orchestrator.commands.options import (
    Builder,
    Color,
    Files,
    Output,
    Overrides,
    Platforms,
    Services,
    choice,
    platforms,
)
from orchestrator.commands.planned import doors_of
from orchestrator.commands.session import Session, session
from orchestrator.commands.step import annotate, outputs_of_matrix, outputs_of_plan, tell_step
from orchestrator.core.errors import Exit
from orchestrator.core.plan import Plan
from orchestrator.core.reference import Reference
from orchestrator.planning.bake import bake
from orchestrator.planning.estimate import outlook
from orchestrator.planning.matrix import GroupBy, matrix
from orchestrator.planning.plan import Options, make_plan
from orchestrator.planning.select import Selection
from orchestrator.planning.unchanged import tags_now
from orchestrator.report.plan import FORMATS
from orchestrator.report.screen import Screen
from orchestrator.report.summary import outlook_sentence

if TYPE_CHECKING:
    from orchestrator.registry.stores import Stores

app = typer.Typer(rich_markup_mode=None, add_completion=False)
_DATA_FORMATS = ("matrix", "bake")


@app.command(
    epilog="Examples: mabuild plan · mabuild plan api+ --format json · mabuild plan --offline --format mermaid"
)
def plan(
    ctx: typer.Context,
    services: Services = None,
    files: Files = None,
    platform: Platforms = None,
    builder: Builder = "",
    overrides: Overrides = None,
    output_format: Annotated[
        str, typer.Option("--format", help="table, json, markdown, mermaid, matrix or bake.")
    ] = "table",
    group_by: Annotated[
        str, typer.Option(help="What one job of the matrix builds: cell, platform or subgraph.")
    ] = "cell",
    output: Output = "",
    offline: Annotated[bool, typer.Option("--offline", help="Ask no registry and no node.")] = False,
    allow_missing_nodes: Annotated[
        bool, typer.Option("--allow-missing-nodes", help="Plan without nodes that are down.")
    ] = False,
    records: Annotated[
        str, typer.Option(help="Folder for the records of cells that are unchanged, for publish.", show_default=False)
    ] = "",
    packages: Packages = False,
    color: Color = None,
) -> int:
    """Show the order, the node and the mode of every service on every platform, and why.

    Base images are asked of their registry for every platform, so that a missing one is found now and not twenty
    minutes into the build.
    """
    here = session(ctx, color=color)
    known = {name: name for name in (*FORMATS, *_DATA_FORMATS)}
    face = choice(output_format, known, "--format")
    grouping = choice(group_by, {one.value: one for one in GroupBy}, "--group-by")
    fleet = load_fleet(here, files, overrides)
    wanted = platforms(platform)
    options = Options(
        offline=offline,
        on_runners=face == "matrix",
        allow_missing_nodes=allow_missing_nodes,
        host=this_platform(),
        history=durations(here),
    )
    registries = fleet.registries if offline else reachable_registries(fleet, here)
    with opened_stores(registries, here) as stores:
        doors = doors_of(fleet, builder, here, stores, wanted)
        made = make_plan(fleet, Selection(tuple(services or ()), wanted), doors, options)
        if not offline:
            made = _marked(made, here, stores, records)
    made = _with_packages(made, here, offline=offline) if packages else made
    _tell_step(made, face, grouping, here)
    if face == "table":
        _tell_outlook(made, here)
    here.write(_shown(made, face, grouping, here.screen(here.stdout)), output)
    return Exit.OK


def _with_packages(made: Plan, here: Session, *, offline: bool) -> Plan:
    """The plan with findings on what its services install."""
    from orchestrator.auditing.packages.rules import PACKAGE_RULES
    from orchestrator.commands.package_doors import package_means
    from orchestrator.commands.surveying_packages import survey_services

    services = tuple(planned.service for planned in made.services)
    with package_means(here, offline=offline) as means:
        found = survey_services(services, means, here.directory, PACKAGE_RULES)
    for sentence in found.report.not_checked:
        here.say(f"not checked: {sentence}\n")
    return replace(made, findings=(*made.findings, *found.report.findings))


def _marked(made: Plan, here: Session, stores: Stores, records: str) -> Plan:
    """The plan, with what is unchanged and what the tags point at now."""
    from orchestrator.commands.known import Known

    known = Known(made, stores.client)
    made = known.marked()
    made = replace(made, tags=tags_now(made, lambda tag: _digest(tag, stores)))
    if records:
        known.write_records(here.directory / records)
    return made


def _digest(tag: Reference, stores: Stores) -> str:
    """What a tag points at; nothing where there is none. No mirror is asked: it may be behind."""
    from orchestrator.registry.errors import NotFoundError

    try:
        return stores.client.without_mirrors().resolve(tag).digest
    except NotFoundError:
        return ""


def _tell_step(made: Plan, face: str, grouping: GroupBy, here: Session) -> None:
    """Outputs, annotations and the summary of a CI step."""
    if here.in_github_actions:
        matrices = outputs_of_matrix(matrix(made, grouping)) if face == "matrix" else {}
        tell_step(here, {**outputs_of_plan(made), **matrices}, FORMATS["markdown"](made, here.screen(here.stdout)))
        annotate(made.findings, here)


def _shown(made: Plan, face: str, grouping: GroupBy, screen: Screen) -> str:
    match face:
        case "matrix":
            return json.dumps(matrix(made, grouping), indent=2) + "\n"
        case "bake":
            return json.dumps(bake(made), indent=2) + "\n"
        case _:
            return FORMATS[face](made, screen)


def _tell_outlook(made: Plan, here: Session) -> None:
    """The expected end, for people; the estimates of cells are in every format."""
    if sentence := outlook_sentence(outlook(made.cells, made.nodes)):
        here.say(f"{sentence}\n")
