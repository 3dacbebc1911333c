"""Verifies one image: reads as much as the level asks for, runs the checks, and says what was proved and what not."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.core.errors import MabuildError, UnreachableError
from orchestrator.core.finding import Finding, Severity
from orchestrator.core.fleet import Level
from orchestrator.core.reference import Reference
from orchestrator.core.verification import Verdict, Verification
from orchestrator.registry.errors import DigestError
from orchestrator.registry.store import Store
from orchestrator.verifying.cache import VerdictCache
from orchestrator.verifying.check import reaches
from orchestrator.verifying.checks import CHECKS
from orchestrator.verifying.content import read_contents
from orchestrator.verifying.evidence import Evidence
from orchestrator.verifying.existence import look_for_layers
from orchestrator.verifying.expectation import MEANS, Expectation, Means
from orchestrator.verifying.reading import read_image
from orchestrator.verifying.scope import not_checked, out_of_scope, proved, verified_platforms
from orchestrator.verifying.source import Source
from orchestrator.verifying.statements import read_statements


def verify(store: Store, reference: Reference, expectation: Expectation, means: Means = MEANS) -> Verification:
    """The verdict on one image.

    An image that is not there, or whose list has other bytes than its digest says, is a finding. UnreachableError
    where the store cannot be asked at all; what fails after that makes the verdict `incomplete`.
    """
    reference = reference.or_latest
    source = Source(store, reference, means)
    try:
        root = source.manifest()
    except UnreachableError:
        raise
    except MabuildError as error:
        return _absent(source, expectation, error)
    evidence = read_image(source, expectation, root)
    if reaches(expectation.level, Level.ENTRYPOINT):
        evidence = read_contents(source, evidence, VerdictCache(means.cache))
    if reaches(expectation.level, Level.EXIST):
        evidence = look_for_layers(source, read_statements(source, evidence))
    return conclude(source, look_again(source, evidence))


def look_again(source: Source, evidence: Evidence) -> Evidence:
    """What the tag points at now; a reference by digest cannot move."""
    if source.reference.digest:
        return evidence
    return replace(evidence, final_digest=source.resolve().digest)


def conclude(source: Source, evidence: Evidence) -> Verification:
    """Run the checks of the level and put the verdict together."""
    level = evidence.expectation.level
    findings = tuple(finding for check in CHECKS if reaches(level, check.level) for finding in check.findings(evidence))
    unknown = not_checked(evidence)
    traffic = source.traffic()
    return Verification(
        reference=str(evidence.reference),
        digest=evidence.root.digest,
        media_type=evidence.root.media_type,
        level=level,
        verdict=_verdict(findings, unknown),
        platforms=verified_platforms(evidence),
        findings=findings,
        not_checked=(*unknown, *out_of_scope(level)),
        proved=proved(evidence),
        requests=traffic.requests,
        received_bytes=traffic.received_bytes,
    )


def _verdict(findings: tuple[Finding, ...], unknown: tuple[str, ...]) -> Verdict:
    if any(finding.severity is Severity.ERROR for finding in findings):
        return Verdict.FAIL
    return Verdict.INCOMPLETE if unknown else Verdict.PASS


def _absent(source: Source, expectation: Expectation, error: MabuildError) -> Verification:
    number = "MV202" if isinstance(error, DigestError) else "MV201"
    info = next(check.info for check in CHECKS if check.info.id == number)
    finding = Finding(info.id, info.name, info.severity, f"{source.reference}: {error.message}", cause=error.hint)
    traffic = source.traffic()
    return Verification(
        reference=str(source.reference),
        digest=source.reference.digest,
        media_type="",
        level=expectation.level,
        verdict=Verdict.FAIL,
        findings=(finding,),
        not_checked=("everything else: there is no image to look at",),
        requests=traffic.requests,
        received_bytes=traffic.received_bytes,
    )
