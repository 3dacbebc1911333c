"""Which entry of a list each usual node takes, by the rules of its own client.

containerd (Kubernetes' CRI, nerdctl; containerd/platforms, core/images): candidates in the order of `candidates`, a
stock amd64 node without a variant, entries without platform last, and a single image is taken unchecked. Docker with
the containerd store knows the variant of amd64 since moby#52773. podman, CRI-O and skopeo (containers/image) compare
the written text exactly: no 386 on amd64, no arm on arm64, no `amd64/v2`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from orchestrator.core.platform import Platform, candidates
from orchestrator.verifying.checks.platform_duplicate import ZSTD_TWIN
from orchestrator.verifying.evidence import Entry, Evidence
from orchestrator.verifying.written import written_platform

_ARM_LEVELS = ("v8", "v7", "v6", "v5")


@dataclass(frozen=True, slots=True)
class Choice:
    """What one node takes: an entry's platform as the list writes it and its digest, empty where it takes none."""

    client: str
    node: str
    platform: str
    digest: str
    remark: str = ""


Rule = Callable[[Platform, tuple[Entry, ...]], Iterator[Entry]]


def runs_on(evidence: Evidence) -> tuple[Choice, ...]:
    """The choice of every usual node, those of a client together."""
    return tuple(
        _choice(client, Platform.parse(node), rule, evidence) for client, rule, nodes in CLIENTS for node in nodes
    )


def _choice(client: str, node: Platform, rule: Rule, evidence: Evidence) -> Choice:
    images = evidence.images
    if not evidence.is_list:
        if not images:
            return Choice(client, str(node), "", "", "there is no image")
        only = images[0]
        fits = only.platform is not None and only.platform in candidates(node)
        remark = "" if fits else "a single image is taken unchecked: it will not start"
        return Choice(client, str(node), only.label, only.descriptor.digest, remark)
    taken = next(rule(node, images), None)
    if taken is None:
        return Choice(client, str(node), "", "", "no match for platform in manifest")
    return Choice(client, str(node), written_platform(taken) or "(none)", taken.descriptor.digest, _remark(node, taken))


def _remark(node: Platform, taken: Entry) -> str:
    if taken.descriptor.platform is None:
        return "an entry without platform, taken as a last resort"
    if node.architecture == "arm64" and taken.descriptor.platform.architecture == "arm":
        return "32-bit: needs a CPU with AArch32, which many arm64 servers lack"
    return "32-bit" if taken.descriptor.platform.architecture == "386" else ""


def _containerd(node: Platform, images: tuple[Entry, ...]) -> Iterator[Entry]:
    """The entries that fit, in the node's order of preference, then those without platform whose configuration fits."""
    wanted = candidates(node)
    for candidate in wanted:
        yield from (entry for entry in images if entry.descriptor.platform == candidate)
    for entry in images:
        if entry.descriptor.platform is None and entry.config is not None and entry.config.platform in wanted:
            yield entry


def _stock_containerd(node: Platform, images: tuple[Entry, ...]) -> Iterator[Entry]:
    """A stock node tells a variant only on ARM."""
    plain = Platform(node.os, node.architecture) if node.architecture == "amd64" else node
    return _containerd(plain, images)


def _containers_image(node: Platform, images: tuple[Entry, ...]) -> Iterator[Entry]:
    """Exact texts; at equal platform zstd goes before gzip."""
    ordered = sorted(images, key=lambda entry: entry.descriptor.annotation(ZSTD_TWIN) != "true")
    for variant in _variants(node):
        text = "/".join(part for part in (node.os, node.architecture, variant) if part)
        yield from (entry for entry in ordered if written_platform(entry) == text)
    yield from (entry for entry in ordered if entry.descriptor.platform is None)


def _variants(node: Platform) -> tuple[str, ...]:
    match node.architecture:
        case "arm":
            level = node.variant or "v7"
            known = _ARM_LEVELS[_ARM_LEVELS.index(level) :] if level in _ARM_LEVELS else _ARM_LEVELS
            return (*known, "")
        case "arm64":
            return ("v8", "")
        case _:
            return ("",)


_NODES = ("linux/amd64", "linux/arm64", "linux/arm64/v9", "linux/arm/v7", "linux/arm/v6")
_AMD64_LEVELS = ("linux/amd64/v2", "linux/amd64/v3", "linux/amd64/v4")
CLIENTS: Final[tuple[tuple[str, Rule, tuple[str, ...]], ...]] = (
    ("containerd", _stock_containerd, (*_NODES[:1], *_AMD64_LEVELS, *_NODES[1:])),
    ("docker", _containerd, (*_NODES[:1], *_AMD64_LEVELS, *_NODES[1:])),
    ("podman", _containers_image, (*_NODES[:1], *_AMD64_LEVELS, *_NODES[1:])),
)
