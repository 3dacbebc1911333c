"""How an audit looks as JSON, and how its rules are listed and explained."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.core.finding import Finding, RuleInfo, counts
from orchestrator.report.shapes import document, finding_fields


def audit_json(
    findings: tuple[Finding, ...], counted: tuple[int, int, int], failed: tuple[tuple[str, int, str], ...]
) -> str:
    """The documented shape of `audit`; `counted` is how many were ignored, Dockerfiles read, and scripts read."""
    ignored, dockerfiles, scripts = counted
    return document(
        {
            "findings": [finding_fields(finding) for finding in findings],
            "ignored": ignored,
            "checked": {"dockerfiles": dockerfiles, "scripts": scripts},
            "failed": [{"path": path, "line": line, "message": message} for path, line, message in failed],
            "summary": counts(findings),
        }
    )


def rule_list(rules: Sequence[RuleInfo]) -> str:
    """One line a rule."""
    width = max((len(rule.name) for rule in rules), default=0)
    ordered = sorted(rules, key=lambda rule: rule.id)
    return "".join(f"{rule.id}  {rule.severity:<7}  {rule.name:<{width}}  {rule.summary}\n" for rule in ordered)


def explanation(rule: RuleInfo) -> str:
    """A rule's documentation for a terminal."""
    parts = [f"{rule.id} {rule.name} ({rule.severity})", rule.summary, rule.help]
    parts += [f"{title}:\n{_indented(text)}" for title, text in (("Bad", rule.bad), ("Good", rule.good)) if text]
    return "\n\n".join(part.rstrip("\n") for part in parts if part) + "\n"


def _indented(text: str) -> str:
    return "".join(f"    {line}".rstrip() + "\n" for line in text.splitlines())
