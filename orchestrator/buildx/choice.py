"""Which node plain `docker buildx` would take for a platform, by buildx's own rules (build/resolver/driver.go)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from orchestrator.core.finding import Finding, Severity
from orchestrator.core.plan import Mode, Node
from orchestrator.core.platform import Platform, candidates

_NATIVE = frozenset({Mode.NATIVE, Mode.CROSS})


@dataclass(frozen=True, slots=True)
class Choosable:
    """A node as buildx sees it: `declared` when the builder was made, `listed` by BuildKit, native or not."""

    name: str
    declared: tuple[Platform, ...]
    listed: tuple[Platform, ...]


def buildx_choice(nodes: tuple[Choosable, ...], platforms: tuple[Platform, ...]) -> dict[Platform, str]:
    """The node for each platform of one build.

    Declared platforms count if every platform of the build has a node that declares it. Otherwise what BuildKit lists
    is added for all, and the first node that matches is taken, native or not; where none does, the first node of all.
    """
    if not nodes:
        return {}
    declared = [node.declared for node in nodes]
    strict = {platform: _exact(platform, declared) for platform in platforms}
    if all(index >= 0 for index in strict.values()):
        return {platform: nodes[index].name for platform, index in strict.items()}
    everything = [(*node.declared, *node.listed) for node in nodes]
    return {platform: nodes[max(0, _nearest(platform, everything))].name for platform in platforms}


def _exact(platform: Platform, offers: list[tuple[Platform, ...]]) -> int:
    return next((index for index, offer in enumerate(offers) if platform in offer), -1)


def _nearest(platform: Platform, offers: list[tuple[Platform, ...]]) -> int:
    best, best_platform = -1, platform
    for index, offer in enumerate(offers):
        for offered in offer:
            accepted = candidates(offered)
            if platform not in accepted:
                continue
            if best < 0 or _comes_before(platform, best_platform, accepted):
                best, best_platform = index, offered
    return best


def _comes_before(platform: Platform, other: Platform, accepted: tuple[Platform, ...]) -> bool:
    return other not in accepted or accepted.index(platform) < accepted.index(other)


def wrong_choices(
    builder: str, seen: tuple[Choosable, ...], nodes: tuple[Node, ...], platforms: tuple[Platform, ...]
) -> tuple[Finding, ...]:
    """A warning for every platform that plain buildx would build on a worse node than there is, and what mends it."""
    taken = buildx_choice(seen, platforms)
    by_name = {node.name: node for node in nodes}
    found = []
    for platform, name in taken.items():
        native = next((node for node in nodes if node.is_up and node.mode(platform) in _NATIVE), None)
        chosen = by_name.get(name)
        if native is not None and chosen is not None and chosen.mode(platform) not in _NATIVE:
            found.append(_finding(builder, platform, chosen, native, nodes))
    return tuple(found)


def _finding(builder: str, platform: Platform, chosen: Node, native: Node, nodes: tuple[Node, ...]) -> Finding:
    mode = chosen.mode(platform)
    commands = "; ".join(mending_commands(builder, nodes))
    return Finding(
        rule="MN101",
        name="wrong-node",
        severity=Severity.WARNING,
        message=f"plain buildx takes node {chosen.name} of {builder} for {platform} ({mode}), "
        f"although {native.name} runs it natively; mabuild does not",
        platform=str(platform),
        cause=f"buildx takes the first node that lists a platform; declare what each runs natively: {commands}",
    )


def mending_commands(builder: str, nodes: Iterable[Node]) -> tuple[str, ...]:
    """Commands that declare for every node what it runs natively, after which buildx takes the right ones.

    For a remote node buildx wants driver and address again, even where only the platforms change.
    """
    found = []
    for node in nodes:
        native = [str(entry.platform) for entry in node.platforms if entry.mode is Mode.NATIVE]
        if native:
            words = ("docker buildx create --append --name", builder, "--driver", node.driver, "--node", node.name)
            found.append(" ".join((*words, "--platform", ",".join(native), node.endpoint)).rstrip())
    return tuple(found)
