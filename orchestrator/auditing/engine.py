"""The audit of one file: run the rules over it, settle what they say, and leave out what is ignored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from orchestrator.auditing.context import Context, IsIndex, Published, ReadScript, no_script, nobody_knows
from orchestrator.auditing.ignores import ignores_in, without_ignored
from orchestrator.auditing.rule import Rule
from orchestrator.auditing.rules import RULES
from orchestrator.auditing.runs import Run, placed
from orchestrator.auditing.scope import platforms_of
from orchestrator.auditing.settle import Reported, settled
from orchestrator.auditing.shell.machine import UNKNOWN
from orchestrator.auditing.texts import language_of_script
from orchestrator.core.finding import Finding
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.dockerfile.parse import Dockerfile


@dataclass(frozen=True, slots=True)
class Options:
    """How files are judged. `arguments` and `target` are what a fleet gives its builds.

    `published` tells the platforms of an image reference and `is_index` whether its digest is that of an index; both
    give None where nobody knows. `read_script` reads a file of the build context by its path in it.
    """

    platforms: tuple[Platform, ...] = (LINUX_AMD64, LINUX_ARM64)
    arguments: Mapping[str, str] = field(default_factory=dict)
    target: str = ""
    rules: tuple[Rule, ...] = RULES
    read_script: ReadScript = no_script
    published: Published = nobody_knows
    is_index: IsIndex = nobody_knows


@dataclass(frozen=True, slots=True)
class AuditResult:
    """What was found in one file and the scripts that it runs, how much was ignored, and which scripts were read."""

    findings: tuple[Finding, ...]
    ignored: int = 0
    scripts: Mapping[str, str] = field(default_factory=dict)


def audit(dockerfile: Dockerfile, options: Options) -> AuditResult:
    """Audit a Dockerfile; a name or folder that says an architecture narrows the platforms down to it."""
    context = Context(
        dockerfile=dockerfile,
        platforms=platforms_of(dockerfile.path, options.platforms),
        arguments=options.arguments,
        target=options.target,
        read_script=options.read_script,
        published=options.published,
        is_index=options.is_index,
    )
    return audited(context, options, dockerfile.text)


def audit_script(text: str, path: str, options: Options) -> AuditResult:
    """Audit a shell script by itself."""
    platforms = platforms_of(path, options.platforms)
    outside = dict.fromkeys(platforms, _unset)
    run = Run(placed(text), language_of_script(text), outside)
    return audited(Context(no_dockerfile(path, text), platforms, texts=(run,)), options, text)


def _unset(name: str) -> str | None:
    """Variables of a script that is looked at alone: its arguments are not known, the rest is not set."""
    return UNKNOWN if name.isdigit() or name in {"@", "*", "#"} else None


def no_dockerfile(path: str, text: str) -> Dockerfile:
    """Stands for the Dockerfile of a text that has none."""
    return Dockerfile(path, text, "\\", (), (), (), (), (), ())


def audited(context: Context, options: Options, text: str) -> AuditResult:
    """Run the rules over a context; `text` is the file's, for its ignores."""
    reported = [
        Reported(rule, problem, order) for order, rule in enumerate(options.rules) for problem in rule.check(context)
    ]
    findings = settled(reported, context.path)
    checked = frozenset(rule.id for rule in options.rules)
    spans = [(one.line, one.end_line) for one in context.dockerfile.instructions]
    findings, ignored = without_ignored(findings, ignores_in(text, spans), context.path, checked)
    scripts: dict[str, str] = {}
    for run in context.scripts:
        scripts[run.path] = run.source.text
        findings, more = without_ignored(findings, ignores_in(run.source.text), run.path, checked)
        ignored += more
    ordered = sorted(findings, key=lambda one: (one.path != context.path, one.path, one.line, one.column, one.rule))
    return AuditResult(tuple(ordered), ignored, scripts)
