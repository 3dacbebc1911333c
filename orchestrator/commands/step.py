"""What a command tells the GitHub Actions step that it runs in: outputs, summary, annotations; elsewhere nothing."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any

from orchestrator.commands.session import Session
from orchestrator.core.finding import Finding
from orchestrator.core.plan import Plan
from orchestrator.core.result import Results
from orchestrator.planning.assign import SLOW_MODES
from orchestrator.report.step_outputs import add_step_outputs
from orchestrator.report.step_summary import add_to_step_summary


def tell_step(here: Session, outputs: Mapping[str, str], summary: str = "") -> None:
    """Outputs and summary of the step."""
    add_step_outputs(here.environment.get("GITHUB_OUTPUT", ""), outputs, f"mabuild-{secrets.token_hex(16)}")
    if summary:
        add_to_step_summary(here.environment.get("GITHUB_STEP_SUMMARY", ""), summary)


def annotate(findings: tuple[Finding, ...], here: Session) -> None:
    """Findings on the lines of the pull request."""
    if here.in_github_actions:
        from orchestrator.report.findings.github import annotation

        here.say("".join(f"{annotation(finding)}\n" for finding in findings))


def outputs_of_plan(plan: Plan) -> dict[str, str]:
    """`emulated`: the platforms that need an emulator here, for the action that installs them."""
    slow = {str(cell.id.platform) for cell in plan.cells if cell.mode in SLOW_MODES and not cell.unchanged}
    return {"emulated": ",".join(sorted(slow))}


def outputs_of_matrix(found: Mapping[str, Any]) -> dict[str, str]:
    """The matrix as a whole, `wave-0`, `wave-0-count` and so on, and the numbers of waves and jobs."""
    outputs = {"matrix": json.dumps(found), "waves": str(len(found["waves"])), "total": str(found["total"])}
    for number, (wave, count) in enumerate(zip(found["waves"], found["counts"], strict=True)):
        outputs |= {f"wave-{number}": json.dumps(wave), f"wave-{number}-count": str(count)}
    return outputs


def outputs_of_results(results: Results) -> dict[str, str]:
    """`digests`: the digest of the list of every service; `tags`: what points at them now, one a line."""
    digests = {index.service: index.digest for index in results.indexes if index.digest}
    tags = [tag.reference for index in results.indexes for tag in index.tags if tag.new]
    return {"digests": json.dumps(digests), "tags": "\n".join(tags)}
