"""A check: a function from evidence to problems, with the number, name and documentation that reports show."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from orchestrator.core.finding import Confidence, Finding, RuleInfo, Severity
from orchestrator.core.fleet import Level
from orchestrator.verifying.evidence import Evidence
from orchestrator.verifying.printable import printable

LEVELS = (Level.META, Level.EXIST, Level.ENTRYPOINT, Level.FULL)


@dataclass(frozen=True, slots=True)
class Problem:
    """What a check found; `severity` where it is another than the check's own."""

    message: str
    platform: str = ""
    file: str = ""
    cause: str = ""
    severity: Severity | None = None
    confidence: Confidence = Confidence.HIGH


Look = Callable[[Evidence], Iterator[Problem]]


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its documentation is the docstring of its function, summary first."""

    info: RuleInfo
    level: Level
    look: Look

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        """What it finds, as findings of its number."""
        for problem in self.look(evidence):
            yield Finding(
                rule=self.info.id,
                name=self.info.name,
                severity=problem.severity or self.info.severity,
                message=printable(problem.message),
                platform=printable(problem.platform),
                file=printable(problem.file),
                cause=printable(problem.cause),
                confidence=problem.confidence,
            )


def check(number: str, name: str, severity: Severity, level: Level = Level.META) -> Callable[[Look], Check]:
    """Make a check of a function; it runs from `level` on."""

    def make(look: Look) -> Check:
        summary, _, rest = inspect.cleandoc(look.__doc__ or "").partition("\n")
        return Check(RuleInfo(number, name, severity, summary.strip(), rest.strip()), level, look)

    return make


def reaches(level: Level, needed: Level) -> bool:
    """Whether a level is at least as deep as another."""
    return LEVELS.index(level) >= LEVELS.index(needed)
