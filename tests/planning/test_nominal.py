"""Nodes that were not asked, and the runner of a platform."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.core.fleet import NodeSpec, Pairs
from orchestrator.core.plan import Mode
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.planning.nominal import nominal_nodes, runner_nodes, runner_of
from tests.planning.fleets import fleet, service

_ARM_V7 = Platform("linux", "arm", "v7")
_FLEET = fleet(service("api"))


def test_without_nodes_this_machine_is_taken() -> None:
    (node,) = nominal_nodes(_FLEET, LINUX_ARM64)
    assert node.mode(LINUX_ARM64) is Mode.NATIVE
    assert node.mode(LINUX_AMD64) is Mode.EMULATED
    assert all("not asked, offline" in entry.evidence for entry in node.platforms)


def test_the_manifest_is_taken_at_its_word() -> None:
    specs = (
        NodeSpec("arm", "remote", "tcp://10.0.0.7:1234", platforms=(LINUX_ARM64, _ARM_V7), parallel=2),
        NodeSpec("farm", "kubernetes", driver_options=(("nodeselector", "pool=build,kubernetes.io/arch=arm64"),)),
    )
    arm, farm = nominal_nodes(replace(_FLEET, nodes=specs), LINUX_AMD64)
    assert (arm.mode(LINUX_ARM64), arm.mode(_ARM_V7), arm.mode(LINUX_AMD64)) == (
        Mode.NATIVE,
        Mode.EMULATED,
        Mode.IMPOSSIBLE,
    )
    assert arm.parallel == 2
    assert farm.mode(LINUX_ARM64) is Mode.NATIVE


@pytest.mark.parametrize(
    ("runners", "platform", "label"),
    [
        ((), LINUX_AMD64, "ubuntu-24.04"),
        ((), LINUX_ARM64, "ubuntu-24.04-arm"),
        ((), _ARM_V7, "ubuntu-24.04"),
        ((("default", "big"), ("linux/arm", "pi")), _ARM_V7, "pi"),
        ((("default", "big"), ("linux/arm", "pi")), LINUX_ARM64, "big"),
        ((("linux", "any"), ("linux/arm/v7", "pi"), ("linux/arm", "other")), _ARM_V7, "pi"),
        ((("linux", "any"),), Platform("windows", "amd64"), ""),
    ],
)
def test_the_longest_prefix_of_a_platform_names_its_runner(runners: Pairs, platform: Platform, label: str) -> None:
    assert runner_of(replace(_FLEET, runners=runners), platform) == label


def test_runners_are_native_for_what_their_label_says() -> None:
    nodes = runner_nodes(replace(_FLEET, runners=(("default", "self-hosted"), ("linux/arm64", "Graviton-4"))))
    assert [(node.name, node.platforms[0].platform) for node in nodes] == [
        ("self-hosted", LINUX_AMD64),
        ("Graviton-4", LINUX_ARM64),
    ]
