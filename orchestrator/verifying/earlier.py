"""Reads which platforms an earlier list of the same repository had, so that a lost one is noticed."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.core.image import Document, Index
from orchestrator.core.platform import Platform
from orchestrator.registry.media import parse
from orchestrator.verifying.configuration import parse_configuration
from orchestrator.verifying.evidence import Evidence, FaultKind, Part
from orchestrator.verifying.source import Source, attempt


def read_earlier(source: Source, evidence: Evidence) -> Evidence:
    """The evidence with the platforms of `Expectation.since`; where that cannot be read, nothing is proved about it."""
    since = evidence.expectation.since
    if not since:
        return evidence
    platforms, faults = attempt(Part.LIST, since, "", lambda: _platforms(source, source.manifest(since)))
    unknown = tuple(
        replace(fault, kind=FaultKind.UNREACHABLE, detail=f"the earlier list: {fault.detail}") for fault in faults
    )
    return replace(evidence, earlier=platforms or (), faults=(*evidence.faults, *unknown))


def _platforms(source: Source, document: Document) -> tuple[Platform, ...]:
    parsed = parse(document)
    if isinstance(parsed, Index):
        entries = (one for one in parsed.manifests if not one.is_attestation and one.platform)
        return tuple(dict.fromkeys(one.platform for one in entries if one.platform and one.platform.os != "unknown"))
    limit = source.means.limits.configuration
    return (parse_configuration(source.blob(parsed.config, limit)).platform,)
