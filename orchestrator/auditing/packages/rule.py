"""What a rule on packages is: a generator function over a judged package, documented as every rule is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from orchestrator.auditing.rule import documented
from orchestrator.core.finding import Confidence, Finding, Fix, RuleInfo, Severity
from orchestrator.core.packages import Offer, Package


@dataclass(frozen=True, slots=True)
class PackageProblem:
    """What a rule found. `severity` None stands for the rule's own."""

    message: str
    offers: tuple[Offer, ...] = ()
    severity: Severity | None = None
    fix: Fix | None = None
    cause: str = ""


PackageCheck = Callable[[Package], Iterator[PackageProblem]]


@dataclass(frozen=True, slots=True)
class PackageRule:
    """A check with its documentation."""

    info: RuleInfo
    check: PackageCheck

    @property
    def id(self) -> str:
        """Its number, which never changes its meaning."""
        return self.info.id

    def findings(self, package: Package) -> Iterator[Finding]:
        """What it has to say of a package; where its surroundings are a guess, no more than a warning."""
        for problem in self.check(package):
            place = package.place
            yield Finding(
                self.info.id,
                self.info.name,
                _severity(problem.severity or self.info.severity, package),
                problem.message,
                place.path,
                place.line,
                place.column,
                place.end_line,
                place.end_column,
                confidence=Confidence.LOW if package.is_assumed else Confidence.HIGH,
                platform=str(problem.offers[0].platform) if len(problem.offers) == 1 else "",
                cause=problem.cause,
                fix=problem.fix,
            )


def _severity(severity: Severity, package: Package) -> Severity:
    return Severity.WARNING if severity is Severity.ERROR and package.is_assumed else severity


def package_rule(identity: str, severity: Severity) -> Callable[[PackageCheck], PackageRule]:
    """Make a rule of a generator function: name, summary, help and examples come from it and its docstring."""

    def make(check: PackageCheck) -> PackageRule:
        return PackageRule(documented(identity, severity, getattr(check, "__name__", identity), check.__doc__), check)

    return make
