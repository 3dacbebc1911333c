"""`mabuild verify`: images in, findings and a verdict on each out."""

from __future__ import annotations

from dataclasses import replace

import typer

from orchestrator import __version__
from orchestrator.commands import verify_options as opt
from orchestrator.commands.doors import fleet_if_any, load_fleet, opened_stores
from orchestrator.commands.options import Color, Files, Output, Platforms, Quiet, Verbose, choice, platforms
from orchestrator.commands.running import engine_runner
from orchestrator.commands.session import session
from orchestrator.commands.step import annotate, tell_step
from orchestrator.commands.verified import Wanted, verified, wanted_images
from orchestrator.core.errors import Exit
from orchestrator.core.finding import Finding, Severity
from orchestrator.core.fleet import Level
from orchestrator.core.verification import Verdict, Verification
from orchestrator.registry.stores import Stores
from orchestrator.report.findings import FORMATS
from orchestrator.report.findings.view import View
from orchestrator.report.screen import Screen
from orchestrator.report.summary import plural
from orchestrator.report.verification import choices_table, verifications_json, verifications_table
from orchestrator.verifying.checks import CHECKS
from orchestrator.verifying.engine import examine
from orchestrator.verifying.expectation import Means
from orchestrator.verifying.runs_on import runs_on as choices

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(epilog="Examples: mabuild verify ghcr.io/acme/api:1.2 --level full · mabuild verify")
def verify(
    ctx: typer.Context,
    references: opt.References = None,
    files: Files = None,
    platform: Platforms = None,
    level: opt.VerifyLevel = "",
    since: opt.Since = "",
    run: opt.Run = False,
    run_timeout: opt.RunSeconds = 20.0,
    runs_on: opt.RunsOn = False,
    jobs: opt.Jobs = 4,
    output_format: opt.Format = "text",
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
    wanted = wanted_images(references or [], fleet, platforms(platform), chosen, since)
    with opened_stores(fleet.registries, here) as stores:
        if runs_on:
            here.write("".join(_choices(one, stores, here.screen(here.stdout)) for one in wanted), output)
            return Exit.OK
        runner = engine_runner(here, run_timeout) if run else None
        done = verified(wanted, stores, Means(jobs, here.cache_directory / "verify", runner=runner))
    here.write(_shown(done, output_format, here.screen(here.stdout), quiet=quiet, verbose=verbose), output)
    if here.in_github_actions:
        tell_step(here, {"verdict": _worst(done)}, _shown(done, "markdown", Screen()))
        annotate(() if output_format == "github" else _findings(done), here)
    return _exit_code(done)


def _choices(one: Wanted, stores: Stores, screen: Screen) -> str:
    with stores.open(one.text) as opened:
        examined = examine(opened.store, opened.reference, replace(one.expectation, level=Level.META))
    found = choices(examined.evidence) if examined.evidence else ()
    rows = tuple((choice.client, choice.node, choice.platform, choice.digest, choice.remark) for choice in found)
    return choices_table(one.text, rows, screen)


def _shown(
    done: tuple[Verification, ...], name: str, screen: Screen, *, quiet: bool = False, verbose: bool = False
) -> str:
    if name == "json":
        return verifications_json(done)
    findings = _findings(done)
    rules = tuple(check.info for check in CHECKS)
    cases = tuple(one.reference for one in done)
    view = View("Verification", findings, rules, plural(len(done), "image"), __version__, screen, cases=cases)
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
    codes = {Verdict.FAIL: Exit.BAD, Verdict.INCOMPLETE: Exit.INCOMPLETE, Verdict.PASS: Exit.OK}
    return codes[_worst(done)]
