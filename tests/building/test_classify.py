"""The classes of failures, on messages as BuildKit, containerd and registries write them."""

from __future__ import annotations

import pytest

from orchestrator.building.classify import TREATMENTS, Kind, classify
from orchestrator.buildx.progress import StepFailure

URL = "https://r.example/v2/acme/api/blobs/uploads/"
RUN = 'process "/bin/sh -c make" did not complete successfully: exit code: {}'

MESSAGES = [
    (
        f"failed to push r.example/acme/api: unexpected status from PUT request to {URL}: 503 Service Unavailable",
        Kind.REGISTRY,
    ),
    (
        f"failed to push r.example/acme/api: unexpected status from POST request to {URL}: 500 Internal Server Error",
        Kind.REGISTRY,
    ),
    (
        "failed to copy: httpReadSeeker: failed open: unexpected status code https://r.example/v2/x: 502 Bad Gateway",
        Kind.REGISTRY,
    ),
    ("received unexpected HTTP status: 504 Gateway Timeout", Kind.REGISTRY),
    ('failed commit on ref "layer-sha256:ab": no response', Kind.REGISTRY),
    ("failed to copy: io: read/write on closed pipe", Kind.REGISTRY),
    (f"unexpected status from HEAD request to {URL}: 429 Too Many Requests", Kind.RATE_LIMIT),
    ("toomanyrequests: You have reached your unauthenticated pull rate limit.", Kind.RATE_LIMIT),
    (
        'failed to do request: Head "https://r.example/v2/": dial tcp 127.0.0.1:5999: connect: connection refused',
        Kind.NETWORK,
    ),
    ("read tcp 1.2.3.4:5: read: connection reset by peer", Kind.NETWORK),
    ('failed to do request: Get "https://r.example/v2/": net/http: TLS handshake timeout', Kind.NETWORK),
    ("failed to fetch oauth token: unexpected status from POST request to https://t.example/token: 503", Kind.REGISTRY),
    ("failed to copy: unexpected EOF", Kind.NETWORK),
    ("rpc error: code = Unavailable desc = error reading from server: EOF", Kind.BUILDKIT),
    ("no active session for abc: context deadline exceeded", Kind.BUILDKIT),
    ("manifest verification failed for digest sha256:ab", Kind.CONSISTENCY),
    ("MANIFEST_UNKNOWN: manifest unknown", Kind.CONSISTENCY),
    (f"unexpected status from POST request to {URL}: 401 Unauthorized", Kind.PERMANENT),
    (f"unexpected status from POST request to {URL}: 403 Forbidden", Kind.PERMANENT),
    (
        "unexpected status from PUT request to https://r.example/v2/a/manifests/sha256:ab: 405 Method Not Allowed",
        Kind.PERMANENT,
    ),
    ("push access denied, repository does not exist or may require authorization", Kind.PERMANENT),
    ("denied: requested access to the resource is denied", Kind.PERMANENT),
    ("no match for platform in manifest sha256:ab: not found", Kind.PERMANENT),
    ('failed to compute cache key: failed to calculate checksum of ref a::b: "/nothere": not found', Kind.PERMANENT),
    (
        'failed to do request: Head "https://r.example/v2/": http: server gave HTTP response to HTTPS client',
        Kind.PERMANENT,
    ),
    ("tls: failed to verify certificate: x509: certificate signed by unknown authority", Kind.PERMANENT),
    ("unknown blob: blob unknown to registry", Kind.PERMANENT),
    ("dockerfile parse error on line 3: unknown instruction: RUNN", Kind.PERMANENT),
    ("write /var/lib/x: no space left on device", Kind.RESOURCE),
    ("something that nobody has seen before", Kind.PERMANENT),
]


@pytest.mark.parametrize(("message", "kind"), MESSAGES)
def test_messages(message: str, kind: Kind) -> None:
    assert classify(StepFailure("exporting to image", message), emulated=False).kind is kind


def test_a_compile_error_is_permanent_whatever_its_output_says() -> None:
    log = ("curl: connection reset by peer", "503 Service Unavailable", "npm ERR! code ERESOLVE could not resolve")
    assert classify(StepFailure("[2/3] RUN make", RUN.format(2), log), emulated=False).kind is Kind.PERMANENT


@pytest.mark.parametrize(
    "log", ["qemu: uncaught target signal 11 (Segmentation fault) - core dumped", "Segmentation fault"]
)
def test_a_crash_counts_as_the_emulators_only_under_emulation(log: str) -> None:
    failure = StepFailure("[2/3] RUN make", RUN.format(139), (log,))
    assert classify(failure, emulated=True).kind is Kind.EMULATOR
    assert "native" in classify(failure, emulated=True).advice
    assert classify(failure, emulated=False).kind is Kind.PERMANENT


def test_a_killed_step_is_out_of_memory() -> None:
    assert classify(StepFailure("[2/3] RUN make", RUN.format(137)), emulated=False).kind is Kind.RESOURCE


def test_what_a_registry_asks_for_is_heeded() -> None:
    failure = StepFailure("exporting to image", "429 Too Many Requests - Retry-After: 90")
    assert classify(failure, emulated=False).retry_after == 90.0


@pytest.mark.parametrize("name", ["exporting cache to registry", "importing cache manifest from r.example/cache:x"])
def test_trouble_with_a_cache_is_its_own_class(name: str) -> None:
    failure = StepFailure(name, f"unexpected status from PUT request to {URL}: 500 Internal Server Error")
    assert classify(failure, emulated=False).kind is Kind.CACHE


def test_every_class_has_a_treatment() -> None:
    assert set(TREATMENTS) == set(Kind)
