"""Inline ignores: `# mabuild: ignore[MA101] reason` on the line above, and `ignore-file` for the whole file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from orchestrator.core.finding import Finding, RuleInfo, Severity

UNUSED_IGNORE = RuleInfo(
    "MA001",
    "unused-ignore",
    Severity.NOTE,
    "An inline ignore matches nothing.",
    "The finding that it was written for is gone, or it names a rule that does not exist. Delete the comment.",
)
_COMMENT = re.compile(
    r"^\s*#\s*mabuild:\s*ignore(?P<file>-file)?\[(?P<rules>[^\]]*)\](?P<reason>.*)$", re.MULTILINE | re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Ignore:
    """A comment: the rules that it names, its own line and column, and the lines that it is for (last one included)."""

    rules: tuple[str, ...]
    line: int
    column: int
    first: int
    last: int

    def covers(self, finding: Finding) -> bool:
        """Whether it is for that finding."""
        return finding.rule in self.rules and self.first <= finding.line <= self.last


def ignores_in(text: str, instructions: Iterable[tuple[int, int]] = ()) -> tuple[Ignore, ...]:
    """The ignores of a text. Above an instruction (first and last line) one is for all its lines, else for one line."""
    if "mabuild:" not in text:
        return ()
    lines = text.split("\n")
    ends = dict(instructions)
    return tuple(_ignore(match, lines, ends) for match in _COMMENT.finditer(text))


def _ignore(match: re.Match[str], lines: list[str], ends: dict[int, int]) -> Ignore:
    sign = match.string.index("#", match.start())
    line = match.string.count("\n", 0, sign) + 1
    column = sign - (match.string.rfind("\n", 0, sign) + 1) + 1
    rules = tuple(one.strip().upper() for one in match["rules"].split(",") if one.strip())
    if match["file"]:
        return Ignore(rules, line, column, 1, len(lines))
    first = line + 1
    while first <= len(lines) and (not lines[first - 1].strip() or lines[first - 1].lstrip().startswith("#")):
        first += 1
    return Ignore(rules, line, column, first, ends.get(first, first))


def without_ignored(
    findings: tuple[Finding, ...], ignores: tuple[Ignore, ...], path: str, checked: frozenset[str]
) -> tuple[tuple[Finding, ...], int]:
    """The findings of a file that are not ignored, with a note for each ignore without use, and how many are ignored.

    `checked` are the rules that ran: nobody can tell whether an ignore of another one is used.
    """
    here = [finding for finding in findings if finding.path == path]
    hidden = [finding for finding in here if any(ignore.covers(finding) for ignore in ignores)]
    kept = [finding for finding in findings if not any(finding is one for one in hidden)]
    for ignore in ignores:
        unused = [one for one in ignore.rules if not any(_hides(ignore, one, finding) for finding in hidden)]
        unused = [one for one in unused if one in checked or not re.fullmatch(r"MA[1-6]\d\d", one)]
        if unused or not ignore.rules:
            kept.append(_note(ignore, unused, path))
    return tuple(kept), len(hidden)


def _hides(ignore: Ignore, rule: str, finding: Finding) -> bool:
    return finding.rule == rule and ignore.covers(finding)


def _note(ignore: Ignore, unused: list[str], path: str) -> Finding:
    named = ", ".join(unused) or "no rule"
    return Finding(
        rule=UNUSED_IGNORE.id,
        name=UNUSED_IGNORE.name,
        severity=Severity.NOTE,
        message=f"this ignores {named}, and nothing is found there",
        path=path,
        line=ignore.line,
        column=ignore.column,
        end_line=ignore.line,
        end_column=ignore.column + 1,
    )
