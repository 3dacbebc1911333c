"""Base images: what is asked, and what is said where a platform is missing."""

from __future__ import annotations

import threading

from orchestrator.core.fleet import Place
from orchestrator.core.plan import BasePlatform
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.core.reference import Reference
from orchestrator.planning.bases import Answer, Use, ask_all, missing
from orchestrator.planning.published import Published
from orchestrator.planning.recipe import ImageUse

_PINNED = f"debian@sha256:{'0' * 64}"


def _use(text: str, platform: Platform = LINUX_ARM64, service: str = "api") -> Use:
    return Use(service, ImageUse(Reference.parse(text), platform, Place("Dockerfile", 3, 6), text))


def _answer(text: str, *platforms: Platform, is_list: bool = True) -> Answer:
    entries = tuple(BasePlatform(platform, "sha256:22") for platform in platforms)
    return Answer(Reference.parse(text), Published("sha256:11", entries, is_list))


def test_images_are_asked_side_by_side() -> None:
    together = threading.Barrier(4, timeout=10)

    def ask(reference: Reference) -> Published:
        together.wait()
        return Published(reference.repository, (), True)

    answers = ask_all([_use(f"image{number}") for number in range(4)], ask)
    assert [answer.published.digest for answer in answers if answer.published] == [
        f"library/image{number}" for number in range(4)
    ]


def test_a_list_without_the_platform_names_those_that_exist() -> None:
    found = missing([_use("debian:12")], (_answer("debian:12", LINUX_AMD64, Platform("linux", "s390x")),))
    assert found[0].message == "debian:12 has no linux/arm64; it has linux/amd64, linux/s390x"
    assert (found[0].rule, found[0].path, found[0].line, found[0].column) == ("MA107", "Dockerfile", 3, 6)


def test_a_single_image_of_another_architecture_is_refused() -> None:
    found = missing([_use("tool:1")], (_answer("tool:1", LINUX_AMD64, is_list=False),))
    assert (found[0].rule, found[0].name) == ("MA107", "base-lacks-platform")
    assert found[0].message == "tool:1 is a single image for linux/amd64 and cannot serve linux/arm64"


def test_a_digest_of_one_platform_has_a_rule_of_its_own() -> None:
    found = missing([_use(_PINNED)], (_answer(_PINNED, LINUX_AMD64, is_list=False),))
    assert (found[0].rule, found[0].name) == ("MA106", "single-platform-digest")


def test_a_digest_of_one_platform_serves_that_platform() -> None:
    answers = (_answer(_PINNED, LINUX_AMD64, is_list=False),)
    assert missing([_use(_PINNED, LINUX_AMD64)], answers) == ()


def test_one_place_is_told_once_however_many_services_use_it() -> None:
    answers = (_answer("debian:12", LINUX_AMD64),)
    assert len(missing([_use("debian:12", service="a"), _use("debian:12", service="b")], answers)) == 1
