"""Earlier lists, several tags, and stores that hold some platforms only."""

from __future__ import annotations

from orchestrator.core.fleet import Level
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.core.verification import Verdict, Verification
from orchestrator.verifying.engine import verify
from orchestrator.verifying.expectation import Expectation, Means
from orchestrator.verifying.several import same_platforms
from tests.verifying.images import AMD64, ARM64, REFERENCE, Shelf, attestation, file, image, index, layer, tagged
from tests.verifying.roots import bad, healthy, look, of

META = Expectation(level=Level.META)


def test_a_platform_lost_since_an_earlier_list() -> None:
    shelf = Shelf()
    amd64, arm64 = healthy(shelf, AMD64), healthy(shelf, ARM64)
    earlier = index(shelf, amd64, arm64, attestation(shelf, arm64), tag="old")
    index(shelf, amd64)
    result = verify(shelf, REFERENCE, Expectation(level=Level.META, since=earlier))
    (finding,) = of(result, "MV101")
    assert (finding.platform, finding.message) == (ARM64, "linux/arm64 is lost; the image has linux/amd64")
    assert earlier in finding.cause
    index(shelf, amd64, arm64)
    assert bad(verify(shelf, REFERENCE, Expectation(level=Level.META, since=earlier))) == []


def test_an_earlier_single_image() -> None:
    shelf = Shelf()
    earlier = tagged(shelf, healthy(shelf, ARM64), "old")
    index(shelf, healthy(shelf, AMD64))
    assert bad(verify(shelf, REFERENCE, Expectation(level=Level.META, since=earlier))) == ["MV101"]


def test_an_earlier_list_that_is_gone_is_incomplete() -> None:
    shelf = Shelf()
    index(shelf, healthy(shelf, AMD64))
    result = verify(shelf, REFERENCE, Expectation(level=Level.META, since="sha256:" + "e" * 64))
    assert result.findings == ()
    assert result.verdict is Verdict.INCOMPLETE
    assert "the earlier list" in result.not_checked[0]


def tags(shelf: Shelf, *names: str) -> tuple[Verification, ...]:
    return same_platforms(tuple(verify(shelf, REFERENCE.with_tag(name), META) for name in names))


def test_tags_of_one_repository_have_the_same_platforms() -> None:
    shelf = Shelf()
    amd64, arm64 = healthy(shelf, AMD64), healthy(shelf, ARM64)
    index(shelf, amd64, arm64, tag="1.2.3")
    index(shelf, amd64, arm64, tag="1.2")
    index(shelf, amd64, tag="latest")
    first, second, last = tags(shelf, "1.2.3", "1.2", "latest")
    assert (first.findings, second.findings) == ((), ())
    assert first.verdict is Verdict.PASS
    assert last.verdict is Verdict.FAIL
    assert last.findings[0].message == f"linux/arm64 is missing, and {REFERENCE.with_tag('1.2.3')} has it"


def test_tags_of_other_repositories_and_missing_tags_are_not_compared() -> None:
    shelf = Shelf()
    index(shelf, healthy(shelf, AMD64), tag="a")
    first = verify(shelf, REFERENCE.with_tag("a"), META)
    index(shelf, healthy(shelf, AMD64), healthy(shelf, ARM64), tag="a")
    other = verify(shelf, REFERENCE.__class__.parse("registry.example:5000/team/other:a"), META)
    gone = verify(shelf, REFERENCE.with_tag("gone"), META)
    assert same_platforms((first, other, gone)) == (first, other, gone)


def test_a_platform_that_was_asked_for_is_reported_once() -> None:
    shelf = Shelf()
    index(shelf, healthy(shelf, AMD64), healthy(shelf, ARM64), tag="a")
    index(shelf, healthy(shelf, AMD64), tag="b")
    wanted = Expectation(tuple(row for row in _platforms()), Level.META)
    both = tuple(verify(shelf, REFERENCE.with_tag(name), wanted) for name in ("a", "b"))
    assert [len(of(one, "MV101")) for one in same_platforms(both)] == [0, 1]


def _platforms() -> tuple[Platform, ...]:
    return (LINUX_AMD64, LINUX_ARM64)


def test_a_store_that_holds_some_platforms_only() -> None:
    shelf = Shelf()
    here, there = healthy(shelf, AMD64), image(shelf, ARM64, [layer(file("only-there"))])
    index(shelf, here, attestation(shelf, here), there, attestation(shelf, there))
    for lost in (layer(file("only-there")).content, shelf.content[there["digest"]]):
        shelf.content.pop(shelf.add(lost)["digest"])
        assert {"MV205", "MV201"} & set(bad(look(shelf, Level.EXIST)))
        for level in Level:
            result = verify(shelf, REFERENCE, Expectation(level=level), Means(is_sparse=True))
            assert bad(result) == []
            assert [row.platform for row in result.platforms] == [AMD64]
            assert "this store does not hold linux/arm64, which the list names" in result.proved
    wanted = Expectation(_platforms(), Level.META)
    assert bad(verify(shelf, REFERENCE, wanted, Means(is_sparse=True))) == ["MV101"]
