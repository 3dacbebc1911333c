"""`mabuild audit`: Dockerfiles in, findings and fixes out."""

from __future__ import annotations

from collections import Counter

import typer

from orchestrator import __version__
from orchestrator.auditing.engine import Options
from orchestrator.auditing.rule import Rule
from orchestrator.auditing.rules import RULES
from orchestrator.commands import audit_options as opt
from orchestrator.commands.audit_files import Audited, Target, audit_targets, mend, targets_of_call
from orchestrator.commands.options import Color, Files, Output, Platforms, Quiet, choice, platforms
from orchestrator.commands.session import Session, session
from orchestrator.commands.step import annotate, tell_step
from orchestrator.core.errors import Exit, UsageError
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
        here.write(rule_list([rule.info for rule in RULES]) if list_rules else explanation(_rule(explain).info), output)
        return Exit.OK
    targets = targets_of_call(paths or [], files, here)
    options = Options(rules=_chosen(select or [], ignore or []))
    if wanted := platforms(platform):
        options = Options(platforms=wanted, rules=options.rules)
        targets = tuple(_for_platforms(target) for target in targets)
    audited = audit_targets(targets, options, here.directory)
    if fix or unsafe_fixes or show_diff:
        mended = mend(audited, targets, options, unsafe=unsafe_fixes)
        if show_diff:
            here.write(mended.diff(), output)
            return Exit.USAGE if audited.failed else Exit.OK
        mended.write(here.directory)
        here.say(
            f"{plural(mended.count, 'finding')} fixed in {plural(len(mended.texts), 'file')}\n" if not quiet else ""
        )
        audited = audit_targets(targets, options, here.directory)
    _show(audited, output_format, output, here, statistics=statistics)
    return _exit_code(audited, fail_on)


def _for_platforms(target: Target) -> Target:
    """The target without platforms of its own, so that those of the command line hold."""
    return Target(target.path, target.context, (), target.arguments, target.stage, target.ignore)


def _rule(text: str) -> Rule:
    found = [rule for rule in RULES if text.upper() == rule.id or text.lower() == rule.info.name]
    if not found:
        raise UsageError(f"there is no rule {text!r}", hint="mabuild audit --list-rules shows all")
    return found[0]


def _chosen(select: list[str], ignore: list[str]) -> tuple[Rule, ...]:
    """The rules by number, beginning of a number, or name; UsageError for words that name none."""
    for word in (*_words(select), *_words(ignore)):
        if not any(_names(word, rule) for rule in RULES):
            raise UsageError(f"there is no rule {word!r}", hint="mabuild audit --list-rules shows all")
    wanted = [rule for rule in RULES if not select or any(_names(word, rule) for word in _words(select))]
    return tuple(rule for rule in wanted if not any(_names(word, rule) for word in _words(ignore)))


def _words(texts: list[str]) -> list[str]:
    return [word for text in texts for word in text.split(",") if word]


def _names(word: str, rule: Rule) -> bool:
    return rule.id.startswith(word.upper()) or rule.info.name == word.lower()


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
        tuple(rule.info for rule in RULES),
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
    return f"{plural(audited.dockerfiles, 'Dockerfile')}{scripts}{ignored}"


def _statistics(findings: tuple[Finding, ...]) -> str:
    number = Counter((finding.rule, finding.name) for finding in findings)
    return "".join(f"{count:>6}  {rule}  {name}\n" for (rule, name), count in number.most_common())


def _exit_code(audited: Audited, fail_on: str) -> int:
    if audited.failed:
        return Exit.USAGE
    if fail_on == "never":
        return Exit.OK
    least = _THRESHOLDS[fail_on].rank
    return Exit.BAD if any(finding.severity.rank >= least for finding in audited.findings) else Exit.OK
