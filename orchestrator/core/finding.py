"""One fact about one place: what audits, verifications and manifest errors all give."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad a finding is; `rank` orders them, worst highest."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        """0 for a note, 1 for a warning, 2 for an error."""
        return ("note", "warning", "error").index(self.value)


class Confidence(StrEnum):
    """`low` where only a word was seen and its context could not be understood."""

    HIGH = "high"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text from (line, column) up to (end_line, end_column); 1-based, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that mend a finding; `safe` ones cannot change what an amd64 build gives."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that belongs to a finding, such as a consequence of it."""

    path: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule, a place and what it means there.

    In an audit and a manifest `path`, `line` and `column` (1-based, 0 is "no place") say where; in a verification
    `platform` and `file` (a path inside the image) do.
    """

    rule: str
    name: str
    severity: Severity
    message: str
    path: str = ""
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    confidence: Confidence = Confidence.HIGH
    platform: str = ""
    file: str = ""
    cause: str = ""
    fix: Fix | None = None
    related: tuple[Related, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """What a report needs to know of a rule or check."""

    id: str
    name: str
    severity: Severity
    summary: str
    help: str
    bad: str = ""
    good: str = ""


def counts(findings: tuple[Finding, ...]) -> dict[str, int]:
    """How many errors, warnings and notes there are."""
    return {
        severity.value: sum(finding.severity is severity for finding in findings)
        for severity in (Severity.ERROR, Severity.WARNING, Severity.NOTE)
    }
