"""`mabuild packages`: Dockerfiles in, and out whether every platform has what they install."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from orchestrator import __version__
from orchestrator.auditing.packages.rules import PACKAGE_RULES
from orchestrator.commands import audit_options as opt
from orchestrator.commands.audit_files import targets_of_call
from orchestrator.commands.options import Color, Files, Output, Platforms, Quiet, Verbose, choice, platforms
from orchestrator.commands.package_doors import package_means
from orchestrator.commands.session import Session, session
from orchestrator.commands.surveying_packages import PackagesFound, survey_targets
from orchestrator.core.errors import Exit
from orchestrator.core.finding import Severity
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from orchestrator.report.findings import FORMATS
from orchestrator.report.findings.view import View
from orchestrator.report.packages import SORTS, closing, packages_json, packages_markdown, packages_table

app = typer.Typer(rich_markup_mode=None, add_completion=False)
_THRESHOLDS = {"error": Severity.ERROR, "warning": Severity.WARNING, "note": Severity.NOTE}


@app.command(epilog="Examples: mabuild packages · mabuild packages api/Dockerfile --format json")
def packages(
    ctx: typer.Context,
    paths: opt.Paths = None,
    files: Files = None,
    platform: Platforms = None,
    offline: Annotated[bool, typer.Option("--offline", help="Ask no index; say what could not be checked.")] = False,
    sort: Annotated[str, typer.Option(help="Order of the table: place, name or verdict.")] = "place",
    fail_on: opt.FailOn = "error",
    output_format: opt.Format = "text",
    output: Output = "",
    quiet: Quiet = False,
    verbose: Verbose = False,
    color: Color = None,
) -> int:
    """Name what an image installs that has no build for the other architecture: wheels, debs, npm packages.

    Requirement and lock files and the calls in Dockerfiles are read as an audit reads them; indexes are those that pip
    and uv are set up with. The table shows what is not built for all platforms; -v shows all packages.
    """
    here = session(ctx, color=color)
    choice(output_format, {name: name for name in (*FORMATS, "json")}, "--format")
    choice(fail_on, {**_THRESHOLDS, "never": None}, "--fail-on")
    order = choice(sort, SORTS, "--sort")
    targets = targets_of_call(paths or [], files, here)
    wanted = platforms(platform)
    if wanted:
        targets = tuple(replace(target, platforms=()) for target in targets)
    with package_means(here, offline=offline) as means:
        asked = wanted or (LINUX_AMD64, LINUX_ARM64)
        found = survey_targets(targets, asked, means, here.directory, PACKAGE_RULES)
    report = replace(found.report, packages=tuple(sorted(found.report.packages, key=order)))
    found = replace(found, report=report)
    for error in found.failed:
        here.say(f"error: {error}\n")
    here.write(_shown(found, output_format, here, quiet=quiet, verbose=verbose), output)
    return _exit_code(found, fail_on)


def _shown(found: PackagesFound, name: str, here: Session, *, quiet: bool, verbose: bool) -> str:
    report = found.report
    if name == "json":
        return packages_json(replace(report, failed=tuple((one.path, one.line, one.message) for one in found.failed)))
    screen = here.screen(here.stdout)
    view = View(
        "Packages",
        report.findings,
        tuple(rule.info for rule in PACKAGE_RULES),
        closing(report),
        __version__,
        screen,
        {path: tuple(text.splitlines(keepends=True)) for path, text in found.texts.items()},
        tuple(found.texts),
    )
    told = FORMATS[name](view)
    if name == "markdown":
        return f"{told}\n{packages_markdown(report)}"
    if name != "text" or quiet:
        return told
    return (told if report.findings else "") + packages_table(report, screen, everything=verbose)


def _exit_code(found: PackagesFound, fail_on: str) -> int:
    """Bad findings weigh more than what could not be checked, which is never fine."""
    if found.failed:
        return Exit.USAGE
    least = _THRESHOLDS[fail_on].rank if fail_on != "never" else len(Severity)
    if any(finding.severity.rank >= least for finding in found.report.findings):
        return Exit.BAD
    return Exit.INCOMPLETE if found.report.not_checked else Exit.OK
