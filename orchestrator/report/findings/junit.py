"""Findings as JUnit XML, which most CI systems show: one test case for each thing that was looked at."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from orchestrator.core.finding import Finding, Severity
from orchestrator.report.findings.view import View, label, place


def render(view: View) -> str:
    """A test suite; errors are failures, the rest is output of the case."""
    cases = view.cases or tuple(dict.fromkeys(finding.path or finding.platform for finding in view.findings))
    failures = sum(finding.severity is Severity.ERROR for finding in view.findings)
    body = "".join(_case(case, _of(case, view), view) for case in cases)
    head = f'<testsuite name={quoteattr(view.title)} tests="{len(cases)}" failures="{failures}" errors="0">'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{head}\n{body}</testsuite>\n</testsuites>\n'


def _of(case: str, view: View) -> list[Finding]:
    return [finding for finding in view.findings if (finding.path or finding.platform) == case]


def _case(case: str, findings: list[Finding], view: View) -> str:
    inner = "".join(_failure(finding) for finding in findings if finding.severity is Severity.ERROR)
    rest = "\n".join(_line(finding) for finding in findings if finding.severity is not Severity.ERROR)
    if rest:
        inner += f"<system-out>{escape(_printable(rest))}</system-out>\n"
    return f"<testcase classname={quoteattr(view.title)} name={quoteattr(_printable(case))}>\n{inner}</testcase>\n"


def _failure(finding: Finding) -> str:
    message = quoteattr(_printable(f"{finding.rule}: {finding.message}"))
    return f"<failure type={quoteattr(finding.rule)} message={message}>{escape(_printable(_line(finding)))}</failure>\n"


def _line(finding: Finding) -> str:
    return f"{place(finding)}: {label(finding)}: {finding.message}"


def _printable(text: str) -> str:
    return "".join(sign if sign in "\n\t" or sign >= " " else "?" for sign in text)
