"""Which node plain buildx takes, by the rules in its source (build/resolver/driver.go) and in its tests."""

from __future__ import annotations

from orchestrator.buildx.choice import Choosable, buildx_choice, wrong_choices
from orchestrator.core.plan import Mode, Node, NodePlatform
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform

_BOTH = (LINUX_AMD64, LINUX_ARM64)
_ARM_V7 = Platform("linux", "arm", "v7")
_S390X = Platform("linux", "s390x")


def test_two_nodes_as_in_dockers_own_example_send_everything_to_the_first() -> None:
    nodes = (Choosable("amd", (), _BOTH), Choosable("arm", (), (LINUX_ARM64,)))
    assert buildx_choice(nodes, _BOTH) == {LINUX_AMD64: "amd", LINUX_ARM64: "amd"}


def test_declared_platforms_send_each_where_it_is_declared() -> None:
    nodes = (Choosable("amd", (LINUX_AMD64,), _BOTH), Choosable("arm", (LINUX_ARM64,), (LINUX_ARM64,)))
    assert buildx_choice(nodes, _BOTH) == {LINUX_AMD64: "amd", LINUX_ARM64: "arm"}


def test_one_undeclared_platform_undoes_what_was_declared_for_the_others() -> None:
    nodes = (Choosable("amd", (LINUX_AMD64,), _BOTH), Choosable("arm", (LINUX_ARM64,), (LINUX_ARM64,)))
    assert buildx_choice(nodes, (*_BOTH, _ARM_V7))[LINUX_ARM64] == "amd"


def test_what_nobody_lists_goes_to_the_first_node_without_an_error() -> None:
    nodes = (Choosable("one", (), (LINUX_AMD64,)), Choosable("two", (), (LINUX_ARM64,)))
    assert buildx_choice(nodes, (_S390X,)) == {_S390X: "one"}


def test_an_exact_platform_goes_before_a_wider_one() -> None:
    nodes = (
        Choosable("wide", (), (Platform("linux", "amd64", "v3"),)),
        Choosable("exact", (), (LINUX_AMD64,)),
    )
    assert buildx_choice(nodes, (LINUX_AMD64,)) == {LINUX_AMD64: "exact"}
    assert buildx_choice((), _BOTH) == {}


def test_a_worse_node_is_warned_of_with_the_commands_that_mend_it() -> None:
    seen = (Choosable("amd", (), _BOTH), Choosable("arm", (), (LINUX_ARM64,)))
    nodes = (
        Node(
            "amd",
            "mabuild-amd",
            "remote",
            platforms=(
                NodePlatform(LINUX_AMD64, Mode.NATIVE, ""),
                NodePlatform(LINUX_ARM64, Mode.EMULATED, ""),
            ),
        ),
        Node("arm", "mabuild-arm", "remote", platforms=(NodePlatform(LINUX_ARM64, Mode.NATIVE, ""),)),
    )
    (finding,) = wrong_choices("two", seen, nodes, _BOTH)
    assert finding.message == (
        "plain buildx takes node amd of two for linux/arm64 (emulated), although arm runs it natively; mabuild does not"
    )
    assert "docker buildx create --append --name two --driver remote --node amd --platform linux/amd64" in finding.cause
    assert "docker buildx create --append --name two --driver remote --node arm --platform linux/arm64" in finding.cause


def test_nothing_is_said_where_buildx_does_as_well_as_it_can() -> None:
    seen = (Choosable("amd", (), _BOTH),)
    nodes = (
        Node("amd", "b", "remote", platforms=(NodePlatform(LINUX_ARM64, Mode.EMULATED, ""),)),
        Node("arm", "b", "remote", "down", platforms=(NodePlatform(LINUX_ARM64, Mode.NATIVE, ""),), status="down"),
    )
    assert wrong_choices("two", seen, nodes, _BOTH) == ()
