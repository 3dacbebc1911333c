"""Which platforms of a node are shown."""

from __future__ import annotations

from orchestrator.commands.nodes import _only
from orchestrator.core.plan import Mode, Node, NodePlatform
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform

PLATFORMS = [Platform.parse(text) for text in ("linux/amd64", "linux/amd64/v2", "linux/arm64", "linux/riscv64")]
NODE = Node("here", "b", "remote", platforms=tuple(NodePlatform(one, Mode.NATIVE, "") for one in PLATFORMS))


def test_only_what_was_asked_for_is_shown_in_all_its_variants() -> None:
    assert [entry.platform for entry in _only(NODE, (LINUX_AMD64,)).platforms] == PLATFORMS[:2]
    assert [entry.platform for entry in _only(NODE, (LINUX_AMD64, LINUX_ARM64)).platforms] == PLATFORMS[:3]
