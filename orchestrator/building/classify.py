"""What a failed build means: one table, asked of the failing step and its HTTP status, never of the whole log."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from orchestrator.buildx.progress import StepFailure


class Kind(StrEnum):
    """Classes of failures; they differ in how often and after what pause it is tried again."""

    REGISTRY = "registry trouble"
    RATE_LIMIT = "rate limit"
    NETWORK = "network trouble"
    BUILDKIT = "builder trouble"
    CONSISTENCY = "not there yet"
    EMULATOR = "emulator crash"
    RESOURCE = "out of memory or space"
    STALL = "stalled"
    CACHE = "cache trouble"
    PERMANENT = "permanent"


@dataclass(frozen=True, slots=True)
class Treatment:
    """How a class is treated: `again` more attempts at most, with at least `pause` seconds before each."""

    again: int
    pause: float = 0.0


MANY: Final = 1_000
TREATMENTS: Final = {
    Kind.REGISTRY: Treatment(MANY),
    Kind.RATE_LIMIT: Treatment(2, 60.0),
    Kind.NETWORK: Treatment(MANY),
    Kind.BUILDKIT: Treatment(MANY),
    Kind.CONSISTENCY: Treatment(MANY),
    Kind.EMULATOR: Treatment(1),
    Kind.RESOURCE: Treatment(1, 10.0),
    Kind.STALL: Treatment(1),
    Kind.CACHE: Treatment(1),
    Kind.PERMANENT: Treatment(0),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The class of a failure, the words that decided it, and what mends it."""

    kind: Kind
    words: str
    advice: str = ""
    retry_after: float = 0.0


@dataclass(frozen=True, slots=True)
class _Row:
    kind: Kind
    pattern: str
    advice: str = ""


_RUN_FAILED = re.compile(r"did not complete successfully: exit code: (\d+)")
_CACHE_STEP = re.compile(r"(?:exporting|importing) cache|preparing build cache")
_STATUS = re.compile(
    r"unexpected status(?: from \w+ request to \S+)?: (?P<a>\d{3})|unexpected HTTP status: (?P<b>\d{3})"
    r"|failed open: \S*?unexpected status\D*(?P<c>\d{3})|failed to parse error response (?P<d>\d{3})"
    r"|\b(?P<e>429|500|502|503|504) (?:Too Many|Internal|Bad Gateway|Service|Gateway)"
)
_RETRY_AFTER = re.compile(r"retry[- ]after:? ?(\d{1,6})", re.IGNORECASE)

_LOGIN = "log in to the registry with docker login, and check that the account may push there"
_NATIVE = "build it on a native node, cross-compile, or use another version of qemu"
_SPACE = "give the node more memory or disk, run `docker buildx prune`, or build less at once with --parallel"

_IN_RUN: Final = (
    _Row(Kind.EMULATOR, r"qemu: uncaught target signal \d+", _NATIVE),
    _Row(Kind.EMULATOR, r"exit code: (?:139|132|134)\b", _NATIVE),
)
_KILLED: Final = (
    _Row(Kind.RESOURCE, r"exit code: 137\b", _SPACE),
    _Row(Kind.RESOURCE, r"No space left on device", _SPACE),
)
_BY_STATUS: Final = {
    401: _Row(Kind.PERMANENT, "", _LOGIN),
    403: _Row(Kind.PERMANENT, "", _LOGIN),
    404: _Row(Kind.PERMANENT, "", "check the name of the repository and the tag"),
    405: _Row(
        Kind.PERMANENT, "", "the registry refuses attestations as OCI artifacts: set its profile to ecr or gitlab"
    ),
    408: _Row(Kind.NETWORK, ""),
    429: _Row(Kind.RATE_LIMIT, "", "log in, or use a mirror"),
}
_BY_WORDS: Final = (
    _Row(Kind.RATE_LIMIT, r"toomanyrequests|Too Many Requests", "log in, or use a mirror"),
    _Row(Kind.PERMANENT, r"exec format error", "the node has no emulator for this platform: mabuild nodes --install"),
    _Row(
        Kind.PERMANENT,
        r"no match for platform in manifest",
        "the base image lacks this platform; mabuild plan shows it",
    ),
    _Row(
        Kind.PERMANENT,
        r"denied: |insufficient_scope|push access denied|failed to authorize(?!.*\b5\d\d\b)|no basic auth credentials",
        _LOGIN,
    ),
    _Row(
        Kind.PERMANENT,
        r"blob unknown to registry|unknown blob",
        "the upload was cut off before: push once with --no-cache",
    ),
    _Row(Kind.PERMANENT, r"TAG_INVALID|manifest invalid|MANIFEST_INVALID|is immutable"),
    _Row(Kind.PERMANENT, r"repository name must be lowercase|invalid reference format"),
    _Row(
        Kind.PERMANENT,
        r"failed to (?:read dockerfile|compute cache key)|dockerfile parse error|failed to calculate checksum",
    ),
    _Row(
        Kind.PERMANENT, r"x509: ", "add the certificate authority of the registry to the builder and to registries: ca"
    ),
    _Row(
        Kind.PERMANENT,
        r"server gave HTTP response to HTTPS client",
        "the builder does not take this registry as plain HTTP; name it localhost, or set it up in buildkitd.toml",
    ),
    _Row(Kind.PERMANENT, r"targets build with different drivers|does not currently support exporting manifest lists"),
    _Row(Kind.RESOURCE, r"no space left on device|ResourceExhausted|cannot allocate memory|signal: killed", _SPACE),
    _Row(
        Kind.BUILDKIT,
        r"code = Unavailable|error reading from server: EOF|failed to list workers|no active session for"
        r"|closing transport|failed to bootstrap|lease \S+: not found|job couldn't be found|no such job",
    ),
    _Row(Kind.REGISTRY, r"failed commit on ref|error writing (?:layer|manifest) blob|io: read/write on closed pipe"),
    _Row(Kind.CONSISTENCY, r"MANIFEST_UNKNOWN|manifest unknown|manifest verification failed for digest"),
    _Row(
        Kind.NETWORK,
        r"connection reset by peer|connection refused|broken pipe|i/o timeout|TLS handshake timeout"
        r"|request canceled|timeout awaiting response headers|no such host|Temporary failure in name resolution"
        r"|server misbehaving|network is unreachable|no route to host|GOAWAY|INTERNAL_ERROR"
        r"|failed to do request|unexpected EOF|: EOF|failed to fetch (?:oauth|anonymous) token.*\b5\d\d\b",
    ),
)


def classify(failure: StepFailure, *, emulated: bool) -> Verdict:
    """The verdict on a failed step. What nothing is known of is permanent: a compile error is never tried again."""
    if _CACHE_STEP.match(failure.name):
        return Verdict(Kind.CACHE, "built without the cache")
    if _RUN_FAILED.search(failure.message):
        return _classify_run(failure, emulated=emulated)
    status = next(
        (int(text) for found in [_STATUS.search(failure.message)] if found for text in found.groups() if text), 0
    )
    row = _BY_STATUS.get(status)
    if row is None and 500 <= status < 600:
        row = _Row(Kind.REGISTRY, "")
    if row is not None:
        return Verdict(row.kind, f"HTTP {status}", row.advice, _retry_after(failure.message))
    return _first(_BY_WORDS, failure.message) or Verdict(Kind.PERMANENT, "")


def _classify_run(failure: StepFailure, *, emulated: bool) -> Verdict:
    """A RUN that failed is permanent, unless the emulator or the machine gave up under it."""
    text = "\n".join((failure.message, *failure.log))
    rows = (*(_IN_RUN if emulated else ()), *_KILLED)
    return _first(rows, text) or Verdict(Kind.PERMANENT, "")


def _first(rows: tuple[_Row, ...], text: str) -> Verdict | None:
    for row in rows:
        found = re.search(row.pattern, text)
        if found:
            return Verdict(row.kind, found.group().strip(": "), row.advice, _retry_after(text))
    return None


def _retry_after(text: str) -> float:
    found = _RETRY_AFTER.search(text)
    return float(found.group(1)) if found else 0.0
