"""The JSON shapes that commands share: findings and edits as plain data, fields that say nothing as null."""

from __future__ import annotations

import json
from dataclasses import asdict

from orchestrator.core.finding import Finding, Fix

VERSION = 1


def document(fields: dict[str, object]) -> str:
    """One JSON document, with its version first, and a line end."""
    return json.dumps({"version": VERSION, **fields}, indent=2, ensure_ascii=False) + "\n"


def finding_fields(finding: Finding) -> dict[str, object]:
    """A finding as every command's JSON shows it."""
    return {
        "rule": finding.rule,
        "name": finding.name,
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "message": finding.message,
        "path": finding.path or None,
        "line": finding.line or None,
        "column": finding.column or None,
        "end_line": finding.end_line or None,
        "end_column": finding.end_column or None,
        "platform": finding.platform or None,
        "file": finding.file or None,
        "cause": finding.cause or None,
        "fix": _fix_fields(finding.fix) if finding.fix else None,
        "related": [asdict(other) for other in finding.related],
    }


def _fix_fields(fix: Fix) -> dict[str, object]:
    return {"title": fix.title, "safe": fix.safe, "edits": [asdict(edit) for edit in fix.edits]}
