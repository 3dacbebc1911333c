"""Compares several tags of one repository: each has to have the platforms that any of them has."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.core.errors import UsageError
from orchestrator.core.finding import Finding
from orchestrator.core.reference import Reference
from orchestrator.core.verification import Verdict, Verification
from orchestrator.verifying.checks.platform_missing import platform_missing


def same_platforms(verifications: tuple[Verification, ...]) -> tuple[Verification, ...]:
    """The verifications, with MV101 where a tag lacks a platform that another tag of its repository has."""
    groups: dict[str, list[Verification]] = {}
    for one in verifications:
        groups.setdefault(_repository(one.reference), []).append(one)
    return tuple(_compared(one, groups[_repository(one.reference)]) for one in verifications)


def _repository(reference: str) -> str:
    try:
        return Reference.parse(reference).name
    except UsageError:
        return reference


def _compared(one: Verification, group: list[Verification]) -> Verification:
    own = {row.platform for row in one.platforms}
    reported = {finding.platform for finding in one.findings if finding.rule == platform_missing.info.id}
    lacking: dict[str, str] = {}
    for other in group:
        for row in other.platforms:
            if one.digest and row.platform not in own | reported:
                lacking.setdefault(row.platform, other.reference)
    findings = tuple(_finding(platform, other) for platform, other in lacking.items())
    if not findings:
        return one
    return replace(one, findings=(*one.findings, *findings), verdict=Verdict.FAIL)


def _finding(platform: str, other: str) -> Finding:
    info = platform_missing.info
    message = f"{platform} is missing, and {other} has it"
    return Finding(info.id, info.name, info.severity, message, platform=platform)
