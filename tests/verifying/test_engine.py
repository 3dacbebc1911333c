"""One image verified from reference to verdict: levels, requests, the tag, and what could not be reached."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

import pytest

from orchestrator.core.errors import UnreachableError
from orchestrator.core.fleet import Level
from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference
from orchestrator.core.verification import Verdict, Verification
from orchestrator.verifying.engine import verify
from orchestrator.verifying.expectation import Expectation, Limits, Means
from tests.verifying.images import (
    AMD64,
    ARM64,
    GZIP_LAYER,
    REFERENCE,
    Shelf,
    attestation,
    file,
    image,
    index,
    layer,
    tagged,
)

META = Expectation(level=Level.META)
BOTH = (Platform.parse(AMD64), Platform.parse(ARM64))


def rules(verification: Verification) -> set[str]:
    return {finding.rule for finding in verification.findings}


def two_platforms(shelf: Shelf, *, attested: bool = False) -> str:
    entries = []
    for platform in (AMD64, ARM64):
        entry = image(shelf, platform, [layer(file("etc/motd", b"hello")), layer(file("bin/app", platform.encode()))])
        entries += [entry, attestation(shelf, entry)] if attested else [entry]
    return index(shelf, *entries)


def test_a_good_image_passes_and_says_what_was_proved() -> None:
    shelf = Shelf()
    digest = two_platforms(shelf)
    result = verify(shelf, REFERENCE, Expectation(BOTH, Level.EXIST))
    assert result.verdict is Verdict.PASS
    assert result.findings == ()
    assert result.digest == digest
    assert [row.platform for row in result.platforms] == [AMD64, ARM64]
    assert all(row.size > 0 for row in result.platforms)
    assert "3 of 3 distinct layers are there" in result.proved
    assert result.not_checked == ("what is inside the layers (level exist)",)


@pytest.mark.parametrize("attested", [False, True])
def test_level_meta_asks_once_for_everything_and_for_nothing_else(attested: bool) -> None:
    shelf = Shelf()
    two_platforms(shelf, attested=attested)
    result = verify(shelf, REFERENCE, META)
    assert result.verdict is Verdict.PASS
    attestations = 2 if attested else 0
    assert len(shelf.requests) == 1 + 2 * 2 + attestations + 1, "the last one looks at the tag again"
    assert len(set(shelf.requests[:-1])) == len(shelf.requests) - 1
    assert result.requests == len(shelf.requests)


def test_a_reference_by_digest_is_not_looked_at_again() -> None:
    shelf = Shelf()
    digest = two_platforms(shelf)
    result = verify(shelf, REFERENCE.with_digest(digest), META)
    assert len(shelf.requests) == 5
    assert result.verdict is Verdict.PASS


def test_level_exist_asks_for_each_distinct_layer_once() -> None:
    shelf = Shelf()
    two_platforms(shelf)
    verify(shelf, REFERENCE, Expectation(level=Level.EXIST))
    assert sum(request.startswith("HEAD blob") for request in shelf.requests) == 3, "one layer is shared"


def test_an_image_that_is_not_there_is_a_finding() -> None:
    result = verify(Shelf(), REFERENCE, META)
    assert result.verdict is Verdict.FAIL
    assert rules(result) == {"MV201"}
    assert result.digest == ""


def test_a_list_with_other_bytes_than_its_digest_is_a_finding() -> None:
    shelf = Shelf()
    digest = two_platforms(shelf)
    shelf.content[digest] += b" "
    result = verify(shelf, REFERENCE.with_digest(digest), META)
    assert rules(result) == {"MV202"}


def test_a_store_that_cannot_be_asked_is_an_error_of_the_world() -> None:
    class Down(Shelf):
        def manifest(self, reference: Reference) -> Any:
            raise UnreachableError("registry.example does not answer")

    with pytest.raises(UnreachableError):
        verify(Down(), REFERENCE, META)


def test_what_fails_on_the_way_makes_the_verdict_incomplete() -> None:
    class Flaky(Shelf):
        def blob_size(self, repository: Reference, digest: str) -> int:
            raise UnreachableError("connection reset")

    shelf = Flaky()
    two_platforms(shelf)
    result = verify(shelf, REFERENCE, Expectation(level=Level.EXIST))
    assert result.verdict is Verdict.INCOMPLETE
    assert result.findings == ()
    assert "connection reset" in result.not_checked[0]


def test_an_unreachable_configuration_is_incomplete_and_a_fault_beside_it_still_fails() -> None:
    class Flaky(Shelf):
        def blob(self, repository: Reference, digest: str) -> Any:
            raise UnreachableError("connection reset")

    shelf = Flaky()
    two_platforms(shelf)
    assert verify(shelf, REFERENCE, META).verdict is Verdict.INCOMPLETE
    wanted = Expectation((*BOTH, Platform.parse("linux/s390x")), Level.META)
    assert verify(shelf, REFERENCE, wanted).verdict is Verdict.FAIL


def test_time_that_is_used_up_is_incomplete() -> None:
    ticks = iter(range(10_000))
    shelf = Shelf()
    two_platforms(shelf)
    means = Means(jobs=1, limits=Limits(seconds=3.0), clock=lambda: float(next(ticks)))
    result = verify(shelf, REFERENCE, META, means)
    assert result.verdict is Verdict.INCOMPLETE
    assert any("is used up" in sentence for sentence in result.not_checked)


def test_a_tag_that_moves_meanwhile_is_found() -> None:
    class Moving(Shelf):
        def resolve(self, reference: Reference) -> Any:
            tagged(self, image(self, AMD64), reference.tag)
            return super().resolve(reference)

    shelf = Moving()
    digest = two_platforms(shelf)
    result = verify(shelf, REFERENCE, META)
    assert rules(result) == {"MV801"}
    assert result.verdict is Verdict.FAIL
    assert result.digest == digest, "the findings belong to what the tag pointed at first"


def test_a_reference_without_a_tag_means_latest() -> None:
    shelf = Shelf()
    digest = tagged(shelf, image(shelf, AMD64), "latest")
    assert verify(shelf, Reference.parse("registry.example:5000/team/app"), META).digest == digest


def test_what_was_faulty_is_not_said_to_be_proved() -> None:
    shelf = Shelf()
    entry = image(shelf, AMD64, [layer(file("bin/app"))], entry={"size": 3})
    index(shelf, entry, image(shelf, ARM64, [layer(file("bin/app", b"x"))]))
    result = verify(shelf, REFERENCE, META)
    assert any(sentence.startswith("1 of 2 manifests and configurations are there") for sentence in result.proved)


def test_ctrl_c_ends_what_is_under_way() -> None:
    reads = 0

    class Slow(Shelf):
        @contextmanager
        def blob(self, repository: Reference, digest: str) -> Iterator[BinaryIO]:
            with super().blob(repository, digest) as stream:
                if self.types[digest] != GZIP_LAYER:
                    yield stream
                    return
                if digest == first:
                    raise KeyboardInterrupt
                yield cast("BinaryIO", Endless())

    class Endless:
        def read(self, size: int) -> bytes:
            nonlocal reads
            reads += 1
            time.sleep(0.01)
            return b"x"

    shelf = Slow()
    two_platforms(shelf)
    first = next(digest for digest, kind in shelf.types.items() if kind == GZIP_LAYER)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        verify(shelf, REFERENCE, Expectation(level=Level.FULL))
    assert time.monotonic() - began < 20
    assert reads < 1000
