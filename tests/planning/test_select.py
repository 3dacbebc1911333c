"""Which services and platforms a call asks for."""

from __future__ import annotations

import pytest

from orchestrator.core.errors import UsageError
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.planning.select import Selection, check, chosen, platforms_of
from tests.planning.fleets import fleet, service

_NEEDS = {"base": (), "api": ("base",), "worker": ("api",), "tool": ()}
_FLEET = fleet(service("base"), service("api"), service("worker"), service("tool", platforms=(LINUX_AMD64,)))


def test_nothing_named_is_everything() -> None:
    assert chosen(Selection(), _NEEDS) == {"base", "api", "worker", "tool"}


def test_a_name_is_that_service_alone() -> None:
    assert chosen(Selection(("api",)), _NEEDS) == {"api"}


def test_a_plus_adds_all_that_depend_on_it() -> None:
    assert chosen(Selection(("base+",)), _NEEDS) == {"base", "api", "worker"}


def test_an_unknown_service_gets_a_suggestion() -> None:
    with pytest.raises(UsageError) as caught:
        check(Selection(("wroker+",)), _FLEET)
    assert caught.value.message == "there is no service 'wroker'"
    assert caught.value.hint == "did you mean worker?"


def test_an_unknown_service_without_a_neighbour_gets_the_list() -> None:
    with pytest.raises(UsageError) as caught:
        check(Selection(("zzz",)), _FLEET)
    assert caught.value.hint == "there are: base, api, worker, tool"


def test_a_platform_of_no_service_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        check(Selection(platforms=(Platform("linux", "s390x"),)), _FLEET)
    assert caught.value.hint == "the manifest has: linux/amd64, linux/arm64"


def test_a_service_that_is_named_must_have_the_platform() -> None:
    with pytest.raises(UsageError) as caught:
        check(Selection(("tool",), (LINUX_ARM64,)), _FLEET)
    assert caught.value.message == "tool is not built for linux/arm64"
    check(Selection(platforms=(LINUX_ARM64,)), _FLEET)


def test_platforms_keep_the_order_of_the_manifest() -> None:
    selection = Selection(platforms=(LINUX_ARM64, LINUX_AMD64))
    assert platforms_of((LINUX_AMD64, LINUX_ARM64), selection) == (LINUX_AMD64, LINUX_ARM64)
    assert platforms_of((LINUX_AMD64, LINUX_ARM64), Selection(platforms=(LINUX_ARM64,))) == (LINUX_ARM64,)
