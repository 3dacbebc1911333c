"""`mabuild verify`: images in, findings and a verdict on each out."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from orchestrator import __version__
from orchestrator.commands.doors import fleet_if_any, load_fleet, opened_stores
from orchestrator.commands.options import Color, Files, Output, Platforms, Quiet, Verbose, choice, platforms
from orchestrator.commands.session import Session, session
from orchestrator.commands.step import annotate, tell_step
from orchestrator.core.errors import Exit, UsageError
from orchestrator.core.finding import Finding, Severity
from orchestrator.core.fleet import Fleet, Level
from orchestrator.core.platform import Platform
from orchestrator.core.verification import Verdict, Verification
from orchestrator.registry.stores import Stores
from orchestrator.report.findings import FORMATS
from orchestrator.report.findings.view import View
from orchestrator.report.screen import Screen
from orchestrator.report.summary import plural
from orchestrator.report.verification import verifications_json, verifications_table
from orchestrator.verifying.checks import CHECKS
from orchestrator.verifying.engine import verify as verify_image
from orchestrator.verifying.expectation import Expectation, Means

app = typer.Typer(rich_markup_mode=None, add_completion=False)
Wanted = tuple[str, Expectation]


@app.command(epilog="Examples: mabuild verify ghcr.io/acme/api:1.2 --level full · mabuild verify")
def verify(
    ctx: typer.Context,
    references: Annotated[
        list[str] | None,
        typer.Argument(
            help="repo:tag, repo@digest, oci-layout:DIR or docker-daemon:NAME. Default: the fleet's images.",
            show_default=False,
        ),
    ] = None,
    files: Files = None,
    platform: Platforms = None,
    level: Annotated[
        str,
        typer.Option(
            help="meta, exist, entrypoint or full. Default: what the manifest says, else exist.", show_default=False
        ),
    ] = "",
    since: Annotated[
        str, typer.Option(help="Digest of an earlier list: no platform of it may be lost.", show_default=False)
    ] = "",
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Requests at once.")] = 4,
    output_format: Annotated[
        str, typer.Option("--format", help="text, json, sarif, github, markdown or junit.")
    ] = "text",
    output: Output = "",
    quiet: Quiet = False,
    verbose: Verbose = False,
    color: Color = None,
) -> int:
    """Prove a pushed image: every platform there, every digest right, every binary of the architecture that it claims.

    Levels: meta reads lists, manifests and configurations; exist asks for every layer as well; entrypoint and full look
    at the programs inside. What was not looked at is said, and an image that could not be checked never passes.
    """
    here = session(ctx, color=color)
    choice(output_format, {name: name for name in (*FORMATS, "json")}, "--format")
    chosen = choice(level, {one.value: one for one in Level}, "--level") if level else None
    fleet = fleet_if_any(here, files) if references else load_fleet(here, files)
    wanted = _wanted(references or [], fleet, platforms(platform), chosen, since)
    with opened_stores(fleet.registries, here) as stores:
        done = tuple(_verified(text, expectation, stores, here, jobs) for text, expectation in wanted)
    here.write(_shown(done, output_format, here.screen(here.stdout), quiet=quiet, verbose=verbose), output)
    if here.in_github_actions:
        tell_step(here, {"verdict": _worst(done)}, _shown(done, "markdown", here.screen(here.stdout)))
        annotate(() if output_format == "github" else _findings(done), here)
    return _exit_code(done)


def _wanted(
    references: list[str], fleet: Fleet, asked: tuple[Platform, ...], level: Level | None, since: str
) -> tuple[Wanted, ...]:
    """What to verify: the references with the policy of the service whose image they name, or all tags of the fleet."""
    policies = {
        str(image.with_tag(tag)): Expectation(
            asked or service.platforms, level or service.verify.level, since, service.verify.ignore
        )
        for service in fleet.services
        for image in service.images
        for tag in service.tags
    }
    if not references:
        if not policies:
            raise UsageError("nothing to verify", hint="name an image, or a manifest with -f")
        return tuple(policies.items())
    plain = Expectation(asked, level or Level.EXIST, since)
    return tuple((text, policies.get(text, plain)) for text in references)


def _verified(text: str, expectation: Expectation, stores: Stores, here: Session, jobs: int) -> Verification:
    means = Means(jobs, here.cache_directory / "verify", lambda: stores.client.traffic)
    with stores.open(text) as opened:
        return verify_image(opened.store, opened.reference, expectation, means)


def _shown(
    done: tuple[Verification, ...], name: str, screen: Screen, *, quiet: bool = False, verbose: bool = False
) -> str:
    if name == "json":
        return verifications_json(done)
    findings = _findings(done)
    view = View(
        "Verification",
        findings,
        tuple(check.info for check in CHECKS),
        plural(len(done), "image"),
        __version__,
        screen,
        cases=tuple(one.reference for one in done),
    )
    if name != "text":
        return FORMATS[name](view)
    told = findings if verbose else tuple(one for one in findings if one.severity is not Severity.NOTE)
    listed = FORMATS["text"](replace(view, findings=told)) if told or quiet else ""
    return listed if quiet else listed + verifications_table(done, screen, verbose=verbose)


def _findings(done: tuple[Verification, ...]) -> tuple[Finding, ...]:
    return tuple(replace(finding, path=one.reference) for one in done for finding in one.findings)


def _worst(done: tuple[Verification, ...]) -> Verdict:
    verdicts = {one.verdict for one in done}
    return next((one for one in (Verdict.FAIL, Verdict.INCOMPLETE) if one in verdicts), Verdict.PASS)


def _exit_code(done: tuple[Verification, ...]) -> int:
    verdicts = {one.verdict for one in done}
    if Verdict.FAIL in verdicts:
        return Exit.BAD
    return Exit.INCOMPLETE if Verdict.INCOMPLETE in verdicts else Exit.OK
