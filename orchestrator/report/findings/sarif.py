"""Findings as SARIF 2.1.0 for code scanning: rule help, fixes, and fingerprints that survive moved lines."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

from orchestrator.core.finding import Edit, Finding, RuleInfo, Severity
from orchestrator.report.findings.view import View, place

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_INFORMATION = "https://github.com/mabuild/mabuild"


def render(view: View) -> str:
    """One run of one tool."""
    seen: Counter[str] = Counter()
    results = [_result(finding, view, seen) for finding in view.findings]
    rules = _with_unknown(view.rules, view.findings)
    driver = {
        "name": "mabuild",
        "version": view.version,
        "informationUri": _INFORMATION,
        "rules": [_rule(rule) for rule in rules],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _with_unknown(rules: tuple[RuleInfo, ...], findings: tuple[Finding, ...]) -> list[RuleInfo]:
    known = {rule.id: rule for rule in rules}
    for finding in findings:
        known.setdefault(
            finding.rule, RuleInfo(finding.rule, finding.name, finding.severity, finding.name, finding.name)
        )
    used = {finding.rule for finding in findings}
    return [rule for rule in known.values() if rule.id in used]


def _rule(rule: RuleInfo) -> dict[str, object]:
    return {
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.help or rule.summary},
        "help": {"text": rule.help or rule.summary, "markdown": _help(rule)},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _help(rule: RuleInfo) -> str:
    examples = [
        f"{title}:\n\n```dockerfile\n{text}```\n" for title, text in (("Bad", rule.bad), ("Good", rule.good)) if text
    ]
    return "\n".join([rule.help or rule.summary, *examples])


def _result(finding: Finding, view: View, seen: Counter[str]) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.message if finding.line else f"{place(finding)}: {finding.message}"},
        "locations": [_location(finding)],
        "partialFingerprints": {"mabuild/v1": _fingerprint(finding, view, seen)},
    }
    if finding.related:
        result["relatedLocations"] = [
            _physical(other.path, {"startLine": max(other.line, 1)}) | {"message": {"text": other.message}}
            for other in finding.related
        ]
    if finding.fix:
        result["fixes"] = [_fix(finding)]
    return result


def _location(finding: Finding) -> dict[str, object]:
    region = {"startLine": max(finding.line, 1), "startColumn": max(finding.column, 1)}
    if finding.end_line:
        region |= {"endLine": finding.end_line, "endColumn": max(finding.end_column, 1)}
    return _physical(finding.path or finding.file.lstrip("/") or "image", region)


def _physical(path: str, region: dict[str, int]) -> dict[str, object]:
    uri = path.replace("\\", "/").replace(" ", "%20")
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}


def _fix(finding: Finding) -> dict[str, object]:
    edits = finding.fix.edits if finding.fix else ()
    change = {
        "artifactLocation": {"uri": finding.path.replace("\\", "/")},
        "replacements": [_replacement(edit) for edit in edits],
    }
    return {"description": {"text": finding.fix.title if finding.fix else ""}, "artifactChanges": [change]}


def _replacement(edit: Edit) -> dict[str, object]:
    region = {
        "startLine": edit.line,
        "startColumn": edit.column,
        "endLine": edit.end_line,
        "endColumn": edit.end_column,
    }
    return {"deletedRegion": region, "insertedContent": {"text": edit.text}}


def _fingerprint(finding: Finding, view: View, seen: Counter[str]) -> str:
    """Rule, file and the text of the line, not its number; the same line again counts up."""
    text = (
        view.source_line(finding.path, finding.line).strip() or f"{finding.platform} {finding.file} {finding.message}"
    )
    identity = f"{finding.rule}\0{finding.path}\0{text}"
    seen[identity] += 1
    return hashlib.sha256(f"{identity}\0{seen[identity]}".encode()).hexdigest()[:32]
