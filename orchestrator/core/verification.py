"""What a verification of one image found, and what it did not look at."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from orchestrator.core.finding import Finding
from orchestrator.core.fleet import Level


class Verdict(StrEnum):
    """`incomplete` is never a pass: something could not be checked."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True, slots=True)
class VerifiedPlatform:
    """One platform of an image; `size` in bytes of its compressed layers, `built_on` from its provenance."""

    platform: str
    digest: str
    size: int
    attestations: tuple[str, ...] = ()
    built_on: str = ""
    mode: str = ""


@dataclass(frozen=True, slots=True)
class Verification:
    """The verdict on one reference, pinned to the digest that it had at the start."""

    reference: str
    digest: str
    media_type: str
    level: Level
    verdict: Verdict
    platforms: tuple[VerifiedPlatform, ...] = ()
    findings: tuple[Finding, ...] = ()
    not_checked: tuple[str, ...] = ()
    proved: tuple[str, ...] = ()
    requests: int = 0
    received_bytes: int = 0
