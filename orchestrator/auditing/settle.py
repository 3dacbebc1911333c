"""From problems to findings: each cause once, where a person would change it, with what follows from it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from orchestrator.auditing.architectures import names
from orchestrator.auditing.rule import Problem, Rule
from orchestrator.core.finding import Finding, Related

_TOKEN = re.compile(r"[A-Za-z0-9]+")
_SYSTEM_WORDS = frozenset({"linux", "gnu", "musl", "unknown", "bin", "tar", "gz", "zip", "tgz", "xz", "tmp", "release"})
_MOST_RELATED = 20


@dataclass(frozen=True, slots=True)
class Reported:
    """A problem and the rule that reports it; `order` is the rule's place in the table."""

    rule: Rule
    problem: Problem
    order: int

    @property
    def place(self) -> tuple[str, int, int]:
        """For the order of findings."""
        return self.problem.path, self.problem.word.line, self.problem.word.column


def settled(reported: Iterable[Reported], path: str) -> tuple[Finding, ...]:
    """Drop what another rule reports at the same place, and attach consequences to their causes."""
    kept = _without_overlaps(sorted(reported, key=lambda one: (*one.place, one.order)))
    causes = [one for one in kept if not one.problem.follows]
    related: dict[int, list[Related]] = {}
    alone: list[Reported] = []
    for one in kept:
        if not one.problem.follows:
            continue
        cause = _cause_of(one, causes)
        if cause is None:
            alone.append(one)
            causes.append(replace(one, problem=replace(one.problem, follows=False)))
        elif cause.problem.word.line != one.problem.word.line:
            note = Related(one.problem.path or path, one.problem.word.line, "the same file is used here")
            related.setdefault(_identity(cause), []).append(note)
    final = sorted([*(one for one in kept if not one.problem.follows), *alone], key=lambda one: one.place)
    return tuple(_finding(one, path, related.get(_identity(one), [])) for one in final)


def _identity(one: Reported) -> int:
    return hash((one.rule.id, one.place))


def _without_overlaps(ordered: list[Reported]) -> list[Reported]:
    """Of problems at overlapping places the one whose rule stands first in the table."""
    kept: list[Reported] = []
    for one in ordered:
        rivals = [other for other in kept[-8:] if _overlap(other, one)]
        if any((other.order, other.place) <= (one.order, one.place) for other in rivals):
            continue
        for other in rivals:
            kept.remove(other)
        kept.append(one)
    return kept


def _overlap(one: Reported, other: Reported) -> bool:
    a, b = one.problem.word, other.problem.word
    if one.problem.path != other.problem.path:
        return False
    first, second = (a.line, a.column), (b.line, b.column)
    return first < (b.end_line, b.end_column) and second < (a.end_line, a.end_column)


def _cause_of(one: Reported, causes: list[Reported]) -> Reported | None:
    """The last cause above it, or beside it on the line, that brought the same file."""
    wanted = _tokens(one.problem.artifact)
    families = {name.family for name in names(one.problem.artifact)}
    before = [cause for cause in causes if cause.problem.path == one.problem.path and _is_before(cause, one)]
    for cause in reversed(before):
        brought = cause.problem.artifact
        if wanted <= _tokens(brought) and families & {name.family for name in names(brought)}:
            return cause
    return None


def _is_before(cause: Reported, one: Reported) -> bool:
    return cause.problem.word.line <= one.problem.word.line + 3


def _tokens(text: str) -> frozenset[str]:
    """The words of a file name, apart from those that every release file has."""
    named = {token for name in names(text) for token in _TOKEN.findall(name.text.lower())}
    return frozenset(token.lower() for token in _TOKEN.findall(text)) - _SYSTEM_WORDS - named


def _finding(one: Reported, path: str, related: list[Related]) -> Finding:
    problem, info = one.problem, one.rule.info
    return Finding(
        rule=info.id,
        name=info.name,
        severity=problem.severity or info.severity,
        message=problem.message,
        path=problem.path or path,
        line=problem.word.line,
        column=problem.word.column,
        end_line=problem.word.end_line,
        end_column=problem.word.end_column,
        confidence=problem.confidence,
        cause=problem.cause,
        fix=problem.fix,
        related=(*problem.related, *related[:_MOST_RELATED]),
    )
