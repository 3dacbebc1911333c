"""From problems to findings: each cause once, where a person would change it, with what follows from it."""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections.abc import Iterable
from dataclasses import dataclass, field

from orchestrator.auditing.architectures import names
from orchestrator.auditing.rule import Problem, Rule
from orchestrator.core.finding import Finding, Related

_TOKEN = re.compile(r"[A-Za-z0-9]+")
_SYSTEM_WORDS = frozenset({"linux", "gnu", "musl", "unknown", "bin", "tar", "gz", "zip", "tgz", "xz", "tmp", "release"})
_SEPARATOR = re.compile(r"[/:;,=\s\"']+")
_MOST_RELATED = 20
_MOST_LOOKED_AT = 300
_NEAR = 3


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
    causes = _Causes()
    for one in kept:
        if not one.problem.follows:
            causes.add(one)
    final = [one for one in kept if not one.problem.follows]
    related: dict[int, list[Related]] = {}
    for one in kept:
        if not one.problem.follows:
            continue
        cause = causes.of(one)
        if cause is None:
            final.append(one)
            causes.add(one)
        elif cause.problem.word.line != one.problem.word.line:
            note = Related(one.problem.path or path, one.problem.word.line, "the same file is used here")
            related.setdefault(id(cause), []).append(note)
    final.sort(key=lambda one: one.place)
    return tuple(_finding(one, path, related.get(id(one), [])) for one in final)


@dataclass(slots=True)
class _Causes:
    """What brings files, by path and architecture, in order."""

    found: dict[tuple[str, str], list[tuple[frozenset[str], Reported]]] = field(default_factory=dict)

    def add(self, one: Reported) -> None:
        """Remember a cause."""
        tokens = _tokens(one.problem.artifact)
        for family in {name.family for name in names(one.problem.artifact)}:
            known = self.found.setdefault((one.problem.path, family), [])
            insort(known, (tokens, one), key=lambda entry: entry[1].problem.word.line)

    def of(self, one: Reported) -> Reported | None:
        """The last cause above it, or beside it in the command, that brought the same file."""
        for artifact in one.problem.artifact.split("\n"):
            cause = self._of(one, _named_parts(artifact))
            if cause is not None:
                return cause
        return None

    def _of(self, one: Reported, artifact: str) -> Reported | None:
        wanted = _tokens(artifact)
        for family in {name.family for name in names(artifact)}:
            known = self.found.get((one.problem.path, family), [])
            end = bisect_right(known, one.problem.word.line + _NEAR, key=lambda entry: entry[1].problem.word.line)
            for tokens, cause in reversed(known[max(0, end - _MOST_LOOKED_AT) : end]):
                if wanted <= tokens:
                    return cause
        return None


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


def _named_parts(artifact: str) -> str:
    """The parts of a path that name an architecture: the file of `/tmp/linux-amd64/helm` is `linux-amd64`."""
    return "/".join(part for part in _SEPARATOR.split(artifact) if names(part)) or artifact


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
