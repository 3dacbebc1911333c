"""The side of each stage, whatever shadows BuildKit's own variables."""

import pytest

from orchestrator.auditing.artifacts import Artifacts
from orchestrator.auditing.staging import Side, Staging, lineage, staging
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from orchestrator.dockerfile.parse import parse

BOTH = (LINUX_AMD64, LINUX_ARM64)


def staged(text: str, target: str = "") -> Staging:
    return staging(parse(text, "Dockerfile"), BOTH, {}, target)


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("FROM a", Side.TARGET),
        ("FROM --platform=$TARGETPLATFORM a", Side.TARGET),
        ("FROM --platform=linux/$TARGETARCH a", Side.TARGET),
        ("FROM --platform=$BUILDPLATFORM a", Side.BUILD),
        ("FROM --platform=${BUILDPLATFORM:-linux/amd64} a", Side.BUILD),
        ("FROM --platform=$BUILDOS/$BUILDARCH a", Side.BUILD),
        ("ARG BUILDPLATFORM=linux/amd64\nFROM --platform=$BUILDPLATFORM a", Side.BUILD),
        ("ARG TARGETPLATFORM=linux/amd64\nFROM --platform=$TARGETPLATFORM a", Side.TARGET),
        ("ARG P=$BUILDPLATFORM\nFROM --platform=$P a", Side.BUILD),
        ("ARG P=linux/amd64\nFROM --platform=$P a", Side.CONSTANT),
        ("FROM --platform=linux/arm64/v8 a", Side.CONSTANT),
        ("FROM --platform=$BUILDPLATFORM scratch", Side.TARGET),
        ("FROM --platform=$BUILDPLATFORM a AS b\nFROM --platform=$TARGETPLATFORM b", Side.BUILD),
        ("FROM --platform=$P a", Side.UNKNOWN),
        ("FROM --platform=nonsense a", Side.UNKNOWN),
    ],
)
def test_the_side_of_the_last_stage(text: str, side: Side) -> None:
    assert staged(f"{text}\nRUN x\n").roles[-1].side is side


def test_stages_are_needed_for_their_platforms() -> None:
    found = staged("FROM a AS b-amd64\nFROM a AS b-arm64\nFROM a AS other\nFROM b-$TARGETARCH\nRUN x\n")
    assert [found.platforms(index) for index in range(4)] == [(LINUX_AMD64,), (LINUX_ARM64,), (), BOTH]
    assert found.becomes_image(0, LINUX_AMD64)
    assert not found.becomes_image(0, LINUX_ARM64)
    assert lineage(found.surveys[LINUX_ARM64], 3) == (3, 1)


def test_the_target_counts_and_an_unknown_one_is_the_last() -> None:
    text = "FROM a AS one\nFROM b AS two\nRUN x\n"
    assert staged(text, "one").target == 0
    assert staged(text, "nope").target == 1


def test_files_reach_the_image_through_stages() -> None:
    text = """\
FROM --platform=$BUILDPLATFORM a AS one
WORKDIR /w
FROM --platform=$BUILDPLATFORM b AS two
WORKDIR /d
COPY --from=one /w/x sub/
COPY --from=one /w/y /e/z
FROM c
COPY --from=two /d/sub /s
"""
    artifacts = Artifacts(staged(text))
    found = artifacts.arrival(LINUX_ARM64, 0, ("/w/x",))
    assert found is not None
    assert (found.stage, found.word.line, found.mounted) == (2, 8, False)
    assert artifacts.arrival(LINUX_ARM64, 0, ("/w/y",)) is None
    assert artifacts.folders(LINUX_ARM64)[1] == ("/", "/d", "/d", "/d")
