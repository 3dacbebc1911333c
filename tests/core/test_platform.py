"""Platforms: normal form, round trips, and containerd's rules for which platform takes which."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.errors import UsageError
from orchestrator.core.platform import KNOWN_ARCHITECTURES, KNOWN_SYSTEMS, Platform, candidates


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("linux/amd64", "linux/amd64"),
        ("amd64", "linux/amd64"),
        ("x86_64", "linux/amd64"),
        ("linux/x86-64", "linux/amd64"),
        ("linux/amd64/v1", "linux/amd64"),
        ("linux/amd64/v3", "linux/amd64/v3"),
        ("aarch64", "linux/arm64"),
        ("linux/arm64/v8", "linux/arm64"),
        ("linux/arm64/8", "linux/arm64"),
        ("linux/arm64/v8.0", "linux/arm64"),
        ("linux/arm64/9", "linux/arm64/v9"),
        ("linux/arm64/v8.2", "linux/arm64/v8.2"),
        ("arm", "linux/arm/v7"),
        ("armhf", "linux/arm/v7"),
        ("armel", "linux/arm/v6"),
        ("linux/arm/6", "linux/arm/v6"),
        ("i386", "linux/386"),
        ("LINUX/ARM64", "linux/arm64"),
        ("macos/arm64", "darwin/arm64"),
    ],
)
def test_normal_form(text: str, normal: str) -> None:
    assert str(Platform.parse(text)) == normal


@pytest.mark.parametrize(
    "text", ["", "linux/", "linux//v8", "linux/arm64/v8/x", "linux/itanium9", "lin ux/amd64", "$TARGETPLATFORM"]
)
def test_what_is_no_platform(text: str) -> None:
    with pytest.raises(UsageError):
        Platform.parse(text)


@given(
    st.sampled_from(sorted(KNOWN_SYSTEMS)),
    st.sampled_from(sorted(KNOWN_ARCHITECTURES)),
    st.sampled_from(["", "v1", "v2", "v3", "v5", "v6", "v7", "v8", "v8.1", "v9", "7", "8"]),
)
def test_text_and_back(system: str, architecture: str, variant: str) -> None:
    platform = Platform(system, architecture, variant)
    assert Platform.parse(str(platform)) == platform
    assert Platform(platform.os, platform.architecture, platform.variant) == platform


@pytest.mark.parametrize(
    ("node", "image", "taken"),
    [
        ("linux/amd64", "linux/amd64", True),
        ("linux/amd64", "linux/386", True),
        ("linux/amd64", "linux/amd64/v2", False),
        ("linux/amd64/v3", "linux/amd64/v2", True),
        ("linux/amd64/v2", "linux/amd64/v3", False),
        ("linux/amd64", "linux/arm64", False),
        ("linux/arm64", "linux/arm64/v8", True),
        ("linux/arm64", "linux/arm/v7", True),
        ("linux/arm64", "linux/arm/v5", True),
        ("linux/arm64", "linux/arm64/v9", False),
        ("linux/arm64/v9", "linux/arm64", True),
        ("linux/arm64/v9", "linux/arm64/v8.5", True),
        ("linux/arm64/v9", "linux/arm64/v8.6", False),
        ("linux/arm64/v9.5", "linux/arm64/v8.9", True),
        ("linux/arm64/v8.2", "linux/arm64/v8.1", True),
        ("linux/arm64/v8.2", "linux/arm64/v8.3", False),
        ("linux/arm/v7", "linux/arm/v6", True),
        ("linux/arm/v6", "linux/arm/v7", False),
        ("linux/arm/v7", "linux/arm64", False),
        ("linux/386", "linux/amd64", False),
        ("darwin/arm64", "linux/arm64", False),
    ],
)
def test_which_image_a_node_takes(node: str, image: str, taken: bool) -> None:
    assert Platform.parse(node).accepts(Platform.parse(image)) is taken


def test_the_best_candidate_comes_first() -> None:
    platforms = [str(platform) for platform in candidates(Platform.parse("linux/arm64/v9.1"))]
    assert platforms[:3] == ["linux/arm64/v9.1", "linux/arm64/v9", "linux/arm64/v8.6"]
    assert platforms[-4:] == ["linux/arm/v8", "linux/arm/v7", "linux/arm/v6", "linux/arm/v5"]


def test_slug_is_one_word() -> None:
    assert Platform.parse("linux/arm/v7").slug == "linux-arm-v7"
