"""A check: a function from evidence to problems, with the number, name and documentation that reports show."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from orchestrator.core.finding import Confidence, Finding, Related, RuleInfo, Severity
from orchestrator.core.fleet import Level
from orchestrator.verifying.blame import blame
from orchestrator.verifying.evidence import Evidence
from orchestrator.verifying.printable import printable

LEVELS = (Level.META, Level.EXIST, Level.ENTRYPOINT, Level.FULL)


@dataclass(frozen=True, slots=True)
class Problem:
    """What a check found; `severity` where it is another than the check's own.

    `made_by` is the instruction that the fault comes from, as the image's history tells it.
    """

    message: str
    platform: str = ""
    file: str = ""
    cause: str = ""
    severity: Severity | None = None
    confidence: Confidence = Confidence.HIGH
    made_by: str = ""


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
                related=_blamed(evidence, problem.made_by),
            )


def _blamed(evidence: Evidence, made_by: str) -> tuple[Related, ...]:
    """The line of the Dockerfile, where that is known."""
    expectation = evidence.expectation
    if not made_by or expectation.dockerfile is None:
        return ()
    return blame(expectation.dockerfile, expectation.target, made_by)


def check(number: str, name: str, severity: Severity, level: Level = Level.META) -> Callable[[Look], Check]:
    """Make a check of a function; it runs from `level` on."""

    def make(look: Look) -> Check:
        summary, _, rest = inspect.cleandoc(look.__doc__ or "").partition("\n")
        return Check(RuleInfo(number, name, severity, summary.strip(), rest.strip()), level, look)

    return make


def reaches(level: Level, needed: Level) -> bool:
    """Whether a level is at least as deep as another."""
    return LEVELS.index(level) >= LEVELS.index(needed)
