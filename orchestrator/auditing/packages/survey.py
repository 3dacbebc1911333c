"""Surveys Dockerfiles: what their services install, whether every platform has it, and what rules say of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from orchestrator.auditing.ignores import Ignore, ignores_in
from orchestrator.auditing.packages.means import Means, Surveyed
from orchestrator.auditing.packages.node_survey import NodeSurvey
from orchestrator.auditing.packages.python_installs import python_install
from orchestrator.auditing.packages.python_survey import PythonSurvey
from orchestrator.auditing.packages.rule import PackageRule
from orchestrator.auditing.packages.rules import PACKAGE_RULES
from orchestrator.auditing.packages.site import sites
from orchestrator.auditing.packages.system_installs import system_install
from orchestrator.auditing.packages.system_survey import SystemSurvey
from orchestrator.core.finding import Finding
from orchestrator.core.packages import Availability, Package, PackageReport

_MOST_NAMES = 8


def survey(surveyed: Iterable[Surveyed], means: Means, rules: tuple[PackageRule, ...] = PACKAGE_RULES) -> PackageReport:
    """The packages of all services; places are in Dockerfiles and in files of their build contexts."""
    surveyed = tuple(surveyed)
    python, system, node = PythonSurvey(means), SystemSurvey(means), NodeSurvey()
    all_sites = [(one, site) for one in surveyed for site in sites(one.context, means.variables_of)]
    packages = _joined(
        (
            *python.packages((one, found) for one, site in all_sites if (found := python_install(site))),
            *system.packages((one, called) for one, site in all_sites if (called := system_install(site))),
            *(package for one, site in all_sites for package in node.packages(one, site)),
        )
    )
    findings = tuple(finding for package in packages for rule in rules for finding in rule.findings(package))
    not_read = dict.fromkeys((*python.not_checked, *node.not_checked))
    return PackageReport(packages, _without_ignored(findings, surveyed), (*not_read, *_unknown(packages)))


def _unknown(packages: Iterable[Package]) -> Iterator[str]:
    """What could not be said, one sentence a reason."""
    names: dict[str, list[str]] = {}
    for one in packages:
        for offer in one.lacking(Availability.UNKNOWN):
            names.setdefault(offer.reason, []).append(one.name)
    for reason, all_of in names.items():
        each = list(dict.fromkeys(all_of))
        more = f" and {len(each) - _MOST_NAMES} more" if len(each) > _MOST_NAMES else ""
        yield f"{', '.join(each[:_MOST_NAMES])}{more}: {reason}"


def _joined(packages: Iterable[Package]) -> tuple[Package, ...]:
    """Packages that stand at one place, each once, with the platforms of all."""
    found: dict[tuple[object, ...], Package] = {}
    for one in packages:
        key = (one.service, one.place, one.ecosystem, one.name, one.version)
        before = found.get(key)
        if before is None:
            found[key] = one
            continue
        known = {offer.platform for offer in before.offers}
        found[key] = replace(
            before, offers=(*before.offers, *(each for each in one.offers if each.platform not in known))
        )
    return tuple(found.values())


def _without_ignored(findings: tuple[Finding, ...], surveyed: tuple[Surveyed, ...]) -> tuple[Finding, ...]:
    """The findings that no comment in their file ignores."""
    ignores: dict[str, tuple[Ignore, ...]] = {}
    for one in surveyed:
        spans = [(each.line, each.end_line) for each in one.context.dockerfile.instructions]
        ignores |= {path: ignores_in(text) for path, text in one.texts.items()}
        ignores[one.context.path] = ignores_in(one.context.dockerfile.text, spans)
    return tuple(
        finding for finding in findings if not any(each.covers(finding) for each in ignores.get(finding.path, ()))
    )
