"""Surveys the packages of targets of an audit, and joins what it finds into one answer."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from orchestrator.auditing.context import Context
from orchestrator.auditing.packages.means import Means, Surveyed
from orchestrator.auditing.packages.rule import PackageRule
from orchestrator.auditing.packages.survey import survey
from orchestrator.auditing.scope import platforms_of
from orchestrator.commands.audit_files import Target, reading, targets_of_fleet
from orchestrator.core.errors import DockerfileError
from orchestrator.core.fleet import Fleet, Service
from orchestrator.core.packages import PackageReport
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.parse import read


@dataclass(frozen=True, slots=True)
class PackagesFound:
    """The answer, the files that could not be parsed, and the texts that findings point into."""

    report: PackageReport
    failed: tuple[DockerfileError, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)


def survey_targets(
    targets: Iterable[Target],
    platforms: tuple[Platform, ...],
    means: Means,
    directory: Path,
    rules: tuple[PackageRule, ...],
) -> PackagesFound:
    """Survey all Dockerfiles together, so that each release is asked for once; a target's own platforms win."""
    surveyed: list[Surveyed] = []
    failed: list[DockerfileError] = []
    ignored: dict[str, tuple[str, ...]] = {}
    for target in targets:
        try:
            surveyed.append(_surveyed(target, platforms, directory))
            ignored[target.path] = target.ignore
        except DockerfileError as error:
            failed.append(error)
    report = survey(surveyed, means, rules)
    findings = tuple(one for one in report.findings if one.rule not in ignored.get(one.path, ()))
    texts = {path: text for one in surveyed for path, text in one.texts.items()}
    return PackagesFound(replace(report, findings=findings), tuple(failed), texts)


def survey_services(
    services: tuple[Service, ...], means: Means, directory: Path, rules: tuple[PackageRule, ...]
) -> PackagesFound:
    """The same for services of a fleet, on their own platforms."""
    return survey_targets(targets_of_fleet(Fleet(services), directory), (), means, directory, rules)


def _surveyed(target: Target, platforms: tuple[Platform, ...], directory: Path) -> Surveyed:
    dockerfile = read(directory / target.path, target.path)
    context = Context(
        dockerfile,
        platforms_of(dockerfile.path, target.platforms or platforms),
        dict(target.arguments),
        target.stage,
        reading(target.context),
    )
    return Surveyed.of(context, target.service, os.path.relpath(target.context, directory))
