"""A baseline: findings that are known and not to be told again. It survives that lines move."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable

from orchestrator.core.errors import UsageError
from orchestrator.core.finding import Finding

VERSION = 1
LARGEST = 16 * 1024 * 1024
"""Characters of the largest baseline that is read."""
SourceLine = Callable[[str, int], str]


def fingerprints(findings: tuple[Finding, ...], source_line: SourceLine) -> tuple[str, ...]:
    """One text a finding: rule, path and the words of the line, not its number. The same line again counts up."""
    seen: Counter[str] = Counter()
    found: list[str] = []
    for finding in findings:
        words = " ".join(source_line(finding.path, finding.line).split()) or finding.message
        identity = f"{finding.rule}\0{finding.path}\0{words}"
        seen[identity] += 1
        found.append(hashlib.sha256(f"{identity}\0{seen[identity]}".encode("utf-8", "replace")).hexdigest()[:32])
    return tuple(found)


def baseline_text(findings: tuple[Finding, ...], source_line: SourceLine) -> str:
    """The baseline file for some findings; rule, path and message are there for people."""
    entries = [
        {"fingerprint": mark, "rule": finding.rule, "path": finding.path, "message": finding.message}
        for mark, finding in zip(fingerprints(findings, source_line), findings, strict=True)
    ]
    return json.dumps({"version": VERSION, "findings": entries}, indent=2, ensure_ascii=False) + "\n"


def known_fingerprints(text: str) -> frozenset[str]:
    """What a baseline file holds; raises UsageError for one that is none."""
    hint = "write a new one with --baseline and a file that does not exist yet"
    if len(text) > LARGEST:
        raise UsageError("the baseline is too large", hint=hint)
    try:
        document = json.loads(text)
        if document["version"] != VERSION:
            raise UsageError(f"the baseline has version {document['version']}, not {VERSION}", hint=hint)
        return frozenset(str(entry["fingerprint"]) for entry in document["findings"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError("the baseline is no baseline of mabuild", hint=hint) from error


def without_known(findings: tuple[Finding, ...], known: frozenset[str], source_line: SourceLine) -> tuple[Finding, ...]:
    """The findings that the baseline does not hold."""
    marks = fingerprints(findings, source_line)
    return tuple(finding for finding, mark in zip(findings, marks, strict=True) if mark not in known)
