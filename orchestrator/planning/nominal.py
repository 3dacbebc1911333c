"""Nodes that were not asked: those of the manifest taken at its word, this machine, or the runners of a CI."""

from __future__ import annotations

from orchestrator.core.fleet import Fleet, NodeSpec
from orchestrator.core.plan import Mode, Node, NodePlatform
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform

NOT_ASKED = "not asked, offline"
_GITHUB_RUNNERS = (("default", "ubuntu-24.04"), ("linux/arm64", "ubuntu-24.04-arm"))
_ARM_WORDS = ("arm64", "aarch64", "-arm", "graviton", "ampere", "cobalt")


def nominal_nodes(fleet: Fleet, host: Platform) -> tuple[Node, ...]:
    """The nodes of the manifest as they are declared, or this machine; other platforms count as emulated."""
    wanted = tuple(dict.fromkeys(platform for service in fleet.services for platform in service.platforms))
    specs = fleet.nodes or (NodeSpec("here", "docker"),)
    return tuple(_nominal(spec, host, wanted) for spec in specs)


def _nominal(spec: NodeSpec, host: Platform, wanted: tuple[Platform, ...]) -> Node:
    own = _declared_native(spec) or host
    if spec.platforms:
        evidence = f"declared in the manifest; {NOT_ASKED}"
        others = tuple(platform for platform in spec.platforms if platform != own)
    else:
        evidence = f"taken to be {own}; {NOT_ASKED}"
        others = tuple(platform for platform in wanted if platform != own)
    platforms = (
        NodePlatform(own, Mode.NATIVE, evidence),
        *(NodePlatform(platform, Mode.EMULATED, f"taken to be emulated; {NOT_ASKED}") for platform in others),
    )
    return Node(spec.name, "", spec.driver, spec.endpoint, platforms=platforms, parallel=spec.parallel)


def _declared_native(spec: NodeSpec) -> Platform | None:
    if spec.platforms:
        return spec.platforms[0]
    selector = dict(spec.driver_options).get("nodeselector", "")
    for part in selector.split(","):
        key, _, value = part.partition("=")
        if key.strip() == "kubernetes.io/arch" and value.strip():
            return Platform.parse(value.strip())
    return None


def runner_of(fleet: Fleet, platform: Platform) -> str:
    """The label of the CI runner for a platform: the longest prefix of its parts that the manifest names."""
    runners = dict(fleet.runners or _GITHUB_RUNNERS)
    parts = str(platform).split("/")
    for length in range(len(parts), 0, -1):
        label = runners.get("/".join(parts[:length]))
        if label:
            return label
    return runners.get("default", "")


def runner_nodes(fleet: Fleet) -> tuple[Node, ...]:
    """The CI runners of all platforms as nodes: native for what their label says, emulating everything else."""
    wanted = tuple(dict.fromkeys(platform for service in fleet.services for platform in service.platforms))
    labels = dict.fromkeys(label for platform in wanted if (label := runner_of(fleet, platform)))
    return tuple(_runner(label, wanted) for label in labels)


def _runner(label: str, wanted: tuple[Platform, ...]) -> Node:
    own = LINUX_ARM64 if any(word in label.lower() for word in _ARM_WORDS) else LINUX_AMD64
    others = [platform for platform in wanted if platform != own]
    platforms = (
        NodePlatform(own, Mode.NATIVE, f"by the label {label}"),
        *(NodePlatform(platform, Mode.EMULATED, f"the label {label} says {own}") for platform in others),
    )
    return Node(label, "", "runner", platforms=platforms)
