"""Findings as a Markdown table, for step summaries and comments."""

from __future__ import annotations

from orchestrator.core.finding import Severity
from orchestrator.report.findings.view import View, place

_SIGNS = {Severity.ERROR: "❌", Severity.WARNING: "⚠️", Severity.NOTE: "💡"}


def render(view: View) -> str:
    """A heading, a table, and what was looked at."""
    if not view.findings:
        return f"### {view.title}\n\n✅ no findings in {view.checked}\n"
    rows = "".join(
        f"| {_SIGNS[finding.severity]} {finding.rule} | `{cell(place(finding))}` | {cell(finding.message)} "
        f"| {cell(finding.fix.title) if finding.fix else ''} |\n"
        for finding in view.findings
    )
    return f"### {view.title}\n\n| rule | place | what | fix |\n|---|---|---|---|\n{rows}\n{view.checked}\n"


def cell(text: str) -> str:
    """Text that stays within a table cell and is no markup."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
