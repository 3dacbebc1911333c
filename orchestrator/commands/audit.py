"""`mabuild audit`: Dockerfiles in, findings and fixes out."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from dataclasses import replace

import typer

from orchestrator import __version__
from orchestrator.auditing.engine import Options
from orchestrator.auditing.packages.rule import PackageRule
from orchestrator.commands import audit_options as opt
from orchestrator.commands.audit_baseline import against_baseline
from orchestrator.commands.audit_files import Audited, Target, audit_targets, mend, targets_of_call
from orchestrator.commands.audit_online import online as asking_registries
from orchestrator.commands.audit_rules import ALL_RULES, chosen, rule_named
from orchestrator.commands.audit_urls import with_url_answers
from orchestrator.commands.audit_workflows import is_workflow, with_workflows, workflows_of
from orchestrator.commands.options import Color, Files, Output, Platforms, Quiet, choice, platforms
from orchestrator.commands.session import Session, session
from orchestrator.commands.step import annotate, tell_step
from orchestrator.core.errors import Exit
from orchestrator.core.finding import Finding, Severity
from orchestrator.report.audit import audit_json, explanation, rule_list
from orchestrator.report.findings import FORMATS
from orchestrator.report.findings.view import View
from orchestrator.report.summary import plural

app = typer.Typer(rich_markup_mode=None, add_completion=False)
_THRESHOLDS = {"error": Severity.ERROR, "warning": Severity.WARNING, "note": Severity.NOTE}


@app.command(epilog="Examples: mabuild audit · mabuild audit . --fix · mabuild audit Dockerfile --diff")
def audit(
    ctx: typer.Context,
    paths: opt.Paths = None,
    files: Files = None,
    platform: Platforms = None,
    fix: opt.ApplyFixes = False,
    unsafe_fixes: opt.UnsafeFixes = False,
    show_diff: opt.Diff = False,
    fail_on: opt.FailOn = "error",
    select: opt.Select = None,
    ignore: opt.Ignore = None,
    explain: opt.Explain = "",
    list_rules: opt.ListRules = False,
    online: opt.Online = False,
    check_urls: opt.CheckUrls = False,
    ci: opt.CiFiles = False,
    packages: opt.Packages = False,
    baseline: opt.Baseline = "",
    statistics: opt.Statistics = False,
    output_format: opt.Format = "text",
    output: Output = "",
    quiet: Quiet = False,
    color: Color = None,
) -> int:
    """Find architecture that is hard-coded in Dockerfiles and in the scripts that they run, say why, and fix it.

    A line `# mabuild: ignore[MA301] reason` above an instruction, also between continued lines, hides a finding.
    """
    here = session(ctx, color=color)
    choice(output_format, {name: name for name in (*FORMATS, "json")}, "--format")
    choice(fail_on, {**_THRESHOLDS, "never": None}, "--fail-on")
    if list_rules or explain:
        here.write(_documentation(explain), output)
        return Exit.OK
    workflows = tuple(path for path in paths or [] if is_workflow(path, here.directory))
    named = [path for path in paths or [] if path not in workflows]
    targets = () if workflows and not named else targets_of_call(named, files, here)
    workflows += workflows_of(here.directory) if ci else ()
    rules = chosen(select or [], ignore or [])
    options = Options(rules=rules.rules)
    if wanted := platforms(platform):
        options = Options(platforms=wanted, rules=options.rules)
        targets = tuple(replace(target, platforms=()) for target in targets)
    with asking_registries(options, files, here) if online else nullcontext(options) as told:
        audited = audit_targets(targets, told, here.directory)
        if show_diff:
            here.write(mend(audited, targets, told, unsafe=unsafe_fixes).diff(), output)
            return Exit.USAGE if audited.failed else Exit.OK
        if fix or unsafe_fixes:
            _mend(audited, targets, told, here, unsafe=unsafe_fixes, quiet=quiet)
            audited = audit_targets(targets, told, here.directory)
    audited = with_workflows(audited, workflows, options, here.directory)
    if check_urls:
        audited = with_url_answers(audited, here)
    if packages:
        audited = _with_packages(audited, targets, options, rules.package_rules, here)
    if baseline:
        audited = against_baseline(audited, baseline, here)
    _show(audited, output_format, output, here, statistics=statistics)
    return _exit_code(audited, fail_on)


def _documentation(explain: str) -> str:
    """One rule explained, or all of them listed."""
    return explanation(rule_named(explain).info) if explain else rule_list([rule.info for rule in ALL_RULES])


def _mend(
    audited: Audited, targets: tuple[Target, ...], options: Options, here: Session, *, unsafe: bool, quiet: bool
) -> None:
    mended = mend(audited, targets, options, unsafe=unsafe)
    mended.write(here.directory)
    if not quiet:
        here.say(f"{plural(mended.count, 'finding')} fixed in {plural(len(mended.texts), 'file')}\n")


def _with_packages(
    audited: Audited, targets: tuple[Target, ...], options: Options, rules: tuple[PackageRule, ...], here: Session
) -> Audited:
    """The same with what the indexes of packages say."""
    from orchestrator.commands.package_doors import package_means
    from orchestrator.commands.surveying_packages import survey_targets

    with package_means(here, offline=False) as means:
        found = survey_targets(targets, options.platforms, means, here.directory, rules)
    for sentence in found.report.not_checked:
        here.say(f"not checked: {sentence}\n")
    return replace(
        audited,
        findings=(*audited.findings, *found.report.findings),
        texts={**found.texts, **audited.texts},
        not_checked=found.report.not_checked,
    )


def _show(audited: Audited, name: str, output: str, here: Session, *, statistics: bool) -> None:
    for error in audited.failed:
        here.say(f"error: {error}\n")
    if name == "json":
        counted = (audited.ignored, audited.dockerfiles, audited.scripts)
        failed = tuple((error.path, error.line, error.message) for error in audited.failed)
        here.write(audit_json(audited.findings, counted, failed), output)
        return
    view = View(
        "Audit",
        audited.findings,
        tuple(rule.info for rule in ALL_RULES),
        _checked(audited),
        __version__,
        here.screen(here.stdout),
        {path: tuple(text.splitlines(keepends=True)) for path, text in audited.texts.items()},
        tuple(audited.texts),
    )
    here.write(_statistics(audited.findings) if statistics else FORMATS[name](view), output)
    if here.in_github_actions:
        tell_step(here, {}, FORMATS["markdown"](view))
        annotate(() if name == "github" else audited.findings, here)


def _checked(audited: Audited) -> str:
    scripts = f" and {plural(audited.scripts, 'script')}" if audited.scripts else ""
    ignored = f" ({audited.ignored} ignored)" if audited.ignored else ""
    others = len(audited.texts) - audited.dockerfiles - audited.scripts
    workflows = f" and {plural(others, 'other file')}" if others else ""
    return f"{plural(audited.dockerfiles, 'Dockerfile')}{scripts}{workflows}{ignored}"


def _statistics(findings: tuple[Finding, ...]) -> str:
    number = Counter((finding.rule, finding.name) for finding in findings)
    return "".join(f"{count:>6}  {rule}  {name}\n" for (rule, name), count in number.most_common())


def _exit_code(audited: Audited, fail_on: str) -> int:
    if audited.failed:
        return Exit.USAGE
    least = _THRESHOLDS[fail_on].rank if fail_on != "never" else len(Severity)
    if any(finding.severity.rank >= least for finding in audited.findings):
        return Exit.BAD
    return Exit.INCOMPLETE if audited.not_checked else Exit.OK
