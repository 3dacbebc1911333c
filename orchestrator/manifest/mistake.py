"""Mistakes in manifests as findings: one rule word, one place, one sentence, and where one is known a suggestion."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from orchestrator.core.errors import ManifestError
from orchestrator.core.finding import Finding, Related, Severity
from orchestrator.core.fleet import Place

_LONGEST_MESSAGE = 400


def mistake(rule: str, place: Place, message: str, *, related: tuple[Related, ...] = ()) -> Finding:
    """A finding of the rule `manifest-RULE`."""
    return Finding(
        rule=f"manifest-{rule}",
        name=rule,
        severity=Severity.ERROR,
        message=message if len(message) <= _LONGEST_MESSAGE else f"{message[:_LONGEST_MESSAGE]}…",
        path=place.path,
        line=place.line,
        column=place.column,
        related=related,
    )


def fatal(rule: str, place: Place, message: str, *, related: tuple[Related, ...] = ()) -> ManifestError:
    """The error for a mistake behind which nothing more can be read from the file."""
    return ManifestError((mistake(rule, place, message, related=related),))


def also(place: Place, message: str) -> tuple[Related, ...]:
    """The other place of a mistake that has two."""
    return (Related(place.path, place.line, message),)


def suggestion(word: str, known: Iterable[str]) -> str:
    """`; did you mean …?` where a known word is close, else nothing."""
    lowered = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(word.lower().replace("_", "-"), lowered, n=1, cutoff=0.6)
    close = close or difflib.get_close_matches(word.lower(), lowered, n=1, cutoff=0.6)
    return f"; did you mean `{lowered[close[0]]}`?" if close else ""


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Each finding once, file by file and from top to bottom."""
    unique = dict.fromkeys(findings)
    return tuple(sorted(unique, key=lambda finding: (finding.path, finding.line, finding.column, finding.message)))
