"""Verifies one image: reads as much as the level asks for, runs the checks, and says what was proved and what not."""

from __future__ import annotations

from dataclasses import dataclass, replace

from orchestrator.core.errors import MabuildError, UnreachableError
from orchestrator.core.finding import Finding, Severity
from orchestrator.core.fleet import Level
from orchestrator.core.image import Document
from orchestrator.core.reference import Reference
from orchestrator.core.verification import Verdict, Verification
from orchestrator.registry.errors import DigestError
from orchestrator.registry.store import Store
from orchestrator.verifying.cache import VerdictCache
from orchestrator.verifying.check import reaches
from orchestrator.verifying.checks import CHECKS
from orchestrator.verifying.content import read_contents
from orchestrator.verifying.earlier import read_earlier
from orchestrator.verifying.evidence import Evidence
from orchestrator.verifying.existence import look_for_layers
from orchestrator.verifying.expectation import MEANS, Expectation, Means
from orchestrator.verifying.printable import printable
from orchestrator.verifying.reading import read_image
from orchestrator.verifying.running import run_images
from orchestrator.verifying.scope import not_checked, out_of_scope, proved, remembered, verified_platforms
from orchestrator.verifying.source import Source
from orchestrator.verifying.sparse import without_absent
from orchestrator.verifying.statements import read_statements


@dataclass(frozen=True, slots=True)
class Examination:
    """A verification together with what it rests on; `evidence` is None where there was no image to look at."""

    verification: Verification
    evidence: Evidence | None = None


def verify(store: Store, reference: Reference, expectation: Expectation, means: Means = MEANS) -> Verification:
    """The verdict on one image.

    An image that is not there, or whose list has other bytes than its digest says, is a finding. UnreachableError
    where the store cannot be asked at all; what fails after that makes the verdict `incomplete`.
    """
    return examine(store, reference, expectation, means).verification


def examine(store: Store, reference: Reference, expectation: Expectation, means: Means = MEANS) -> Examination:
    """As `verify`, with the evidence for whoever wants more of it, such as `runs_on`."""
    reference = reference.or_latest
    source = Source(store, reference, means, remembers=reaches(expectation.level, Level.ENTRYPOINT))
    try:
        root = source.root()
    except UnreachableError:
        raise
    except MabuildError as error:
        return Examination(_absent(source, expectation, error))
    evidence = _gather(source, expectation, root)
    source.memory.save()
    return Examination(conclude(source, evidence), evidence)


def _gather(source: Source, expectation: Expectation, root: Document) -> Evidence:
    """Read as much as the level asks for."""
    means, level = source.means, expectation.level
    evidence = read_earlier(source, read_image(source, expectation, root))
    if means.is_sparse:
        evidence = without_absent(source, evidence)
    if reaches(level, Level.ENTRYPOINT):
        evidence = read_contents(source, evidence, VerdictCache(means.cache))
    if reaches(level, Level.EXIST):
        evidence = look_for_layers(source, read_statements(source, evidence))
    if means.runner is not None:
        evidence = run_images(means.runner, evidence)
    return look_again(source, evidence)


def look_again(source: Source, evidence: Evidence) -> Evidence:
    """What the tag points at now; a digest cannot move, and no time passed where nothing else was asked."""
    if source.reference.digest or source.calls == 1:
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
        not_checked=tuple(map(printable, (*unknown, *out_of_scope(evidence)))),
        proved=tuple(map(printable, (*proved(evidence), *remembered(source.memory)))),
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
