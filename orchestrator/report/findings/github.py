"""Findings as GitHub Actions workflow commands: annotations on the lines of a pull request."""

from __future__ import annotations

from orchestrator.core.finding import Finding, Severity
from orchestrator.report.findings.view import View, place

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(view: View) -> str:
    """One workflow command a finding."""
    return "".join(f"{annotation(finding)}\n" for finding in view.findings)


def annotation(finding: Finding) -> str:
    """The workflow command of a finding."""
    properties = {"title": f"{finding.rule} {finding.name}"}
    if finding.path and finding.line:
        properties |= {"file": finding.path, "line": str(finding.line), "col": str(finding.column or 1)}
        if finding.end_line:
            properties |= {"endLine": str(finding.end_line), "endColumn": str(finding.end_column)}
    fix = f" Fix: {finding.fix.title}." if finding.fix else ""
    where = "" if finding.line else f"{place(finding)}: "
    joined = ",".join(f"{key}={_escape_property(value)}" for key, value in properties.items())
    return f"::{_COMMANDS[finding.severity]} {joined}::{escape(where + finding.message + fix)}"


def escape(text: str) -> str:
    """Text as the runner reads it behind `::`."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return escape(text).replace(":", "%3A").replace(",", "%2C")
