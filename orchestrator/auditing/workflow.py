"""Audits the steps of CI workflows: files for one architecture that get into an image which is built for several."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

from orchestrator.auditing.context import Context
from orchestrator.auditing.engine import AuditResult, Options, audited, no_dockerfile
from orchestrator.auditing.runs import Language, Run
from orchestrator.auditing.shell.machine import UNKNOWN
from orchestrator.core.finding import Finding
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.source import SourceText

RULES_FOR_STEPS = frozenset({"MA301", "MA302", "MA305", "MA409", "MA501", "MA502", "MA503", "MA504"})
_EXPRESSION = re.compile(r"\$\{\{.*?\}\}")
_ADDRESS = re.compile(r"https?://\S+")
_SEVERAL = re.compile(r"linux/\w+(?:/v\d)?\s*,\s*(?:\\?\s*)linux/\w+")
_BUILDS = re.compile(r"(?:docker|buildx|podman|nerdctl|buildah)\b.*--platform", re.DOTALL)
_INSTALLS = re.compile(
    r"\bsudo\b|/usr/|/opt/|/tmp/|\$HOME|~/|GITHUB_PATH|RUNNER_TEMP|\bgo install\b|/bin\b|apt(?:-get)? install|dpkg -i"
)


class Step(Protocol):
    """One step of a job, as the reader of workflows gives it; `lines` has the place of each line of `run`."""

    @property
    def job(self) -> str: ...
    @property
    def shell(self) -> str: ...
    @property
    def run(self) -> str: ...
    @property
    def lines(self) -> tuple[tuple[int, int], ...]: ...
    @property
    def uses(self) -> str: ...
    @property
    def inputs(self) -> tuple[tuple[str, str], ...]: ...


def audit_workflow(steps: tuple[Step, ...], path: str, options: Options) -> AuditResult:
    """Audit the steps that come before a build for several platforms in the same job.

    What a step installs on the runner is not looked at: the runner has one architecture, and that is fine.
    """
    runs = tuple(_run(step, options.platforms) for step in _before_builds(steps))
    context = Context(no_dockerfile(path, ""), options.platforms, texts=runs)
    rules = tuple(rule for rule in options.rules if rule.id in RULES_FOR_STEPS)
    result = audited(context, replace(options, rules=rules), "")
    return replace(result, findings=tuple(_told(finding) for finding in result.findings))


def _before_builds(steps: tuple[Step, ...]) -> Iterator[Step]:
    for job in dict.fromkeys(step.job for step in steps):
        own = [step for step in steps if step.job == job]
        last = max((index for index, step in enumerate(own) if _builds_for_several(step)), default=-1)
        for step in own[: last + 1]:
            if step.run and step.lines and step.shell in {"", "bash", "sh"} and not _installs(step):
                yield step


def _installs(step: Step) -> bool:
    """Whether the step puts something onto the runner; the path of an address says nothing of that."""
    return bool(_INSTALLS.search(_ADDRESS.sub("", step.run)))


def _builds_for_several(step: Step) -> bool:
    inputs = dict(step.inputs)
    if "build-push-action" in step.uses or "bake-action" in step.uses:
        return bool(_SEVERAL.search(inputs.get("platforms", "").replace("\n", ",")))
    return bool(_BUILDS.search(step.run) and _SEVERAL.search(step.run))


def _run(step: Step, platforms: tuple[Platform, ...]) -> Run:
    text = _EXPRESSION.sub(lambda match: "$" + "G" * (len(match[0]) - 1), step.run)
    starts, offset = [], 0
    for line in text.split("\n")[: len(step.lines)]:
        starts.append(offset)
        offset += len(line) + 1
    source = SourceText(text, tuple(starts), step.lines[: len(starts)])
    return Run(source, Language.SHELL, dict.fromkeys(platforms, _unknown))


def _unknown(_: str) -> str | None:
    return UNKNOWN


def _told(finding: Finding) -> Finding:
    return replace(finding, cause="the job then builds an image for several platforms with this file in its context")
