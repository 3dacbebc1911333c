"""Files of the wrong architecture in an image, put together by where they come from: one cause, one group."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from orchestrator.core.platform import Platform
from orchestrator.verifying.binary import Binary
from orchestrator.verifying.evidence import Content
from orchestrator.verifying.exemptions import Siblings, is_prebuilt, reason_to_exempt
from orchestrator.verifying.globs import matches
from orchestrator.verifying.node import NodeKind


@dataclass(frozen=True, slots=True)
class Group:
    """Wrong files with one cause: consecutive layers from the lowest on (the base), or one layer.

    `layers` are numbers from 0; `binaries` is how many ELF files these layers show at all.
    """

    architecture: str
    layers: tuple[int, ...]
    paths: tuple[str, ...]
    binaries: int
    is_base: bool
    is_prebuilt: bool


@dataclass(slots=True)
class Foreign:
    """What is wrong in an image, and what is exempt by which reason."""

    groups: tuple[Group, ...] = ()
    exempt: dict[str, list[str]] = field(default_factory=dict)
    binaries: int = 0


def foreign_files(content: Content, ignore: tuple[str, ...]) -> Foreign:
    """Look at every ELF file of an image."""
    platform = content.entry.platform
    if platform is None:
        return Foreign()
    per_layer: Counter[int] = Counter()
    wrong: list[tuple[str, int, Binary]] = []
    for path, layer, binary in binaries(content):
        per_layer[layer] += 1
        if not binary.suits(platform):
            wrong.append((path, layer, binary))
    result = Foreign(binaries=per_layer.total())
    kept = list(_without_exempt(content, wrong, ignore, result.exempt)) if wrong else []
    result.groups = tuple(_grouped(kept, per_layer))
    return result


def binaries(content: Content) -> Iterator[tuple[str, int, Binary]]:
    """Every ELF file with its layer."""
    for path, layer, node in content.files.items():
        if node.kind is NodeKind.FILE and isinstance(node.detail, Binary):
            yield path, layer, node.detail


def _without_exempt(
    content: Content, wrong: list[tuple[str, int, Binary]], ignore: tuple[str, ...], exempt: dict[str, list[str]]
) -> Iterator[tuple[str, int, Binary]]:
    platform = content.entry.platform or Platform("linux", "")
    siblings = Siblings(content.files)
    for path, layer, binary in wrong:
        reason = "ignored by the manifest" if matches(path, ignore) else ""
        reason = reason or reason_to_exempt(path, binary, platform.architecture)
        if not reason and siblings.has_right_one(path, binary.architecture, platform.architecture):
            reason = "file for another platform beside the right one"
        if reason:
            exempt.setdefault(reason, []).append(path)
        else:
            yield path, layer, binary


def _grouped(wrong: list[tuple[str, int, Binary]], per_layer: Counter[int]) -> Iterator[Group]:
    counted = Counter(layer for _, layer, _ in wrong)
    base = _base_layers(counted, per_layer)
    groups: dict[tuple[str, int, bool], list[tuple[str, int]]] = defaultdict(list)
    for path, layer, binary in wrong:
        origin = -1 if layer in base else layer
        groups[binary.architecture, origin, is_prebuilt(path)].append((path, layer))
    for (architecture, origin, prebuilt), members in sorted(groups.items()):
        layers = tuple(sorted({layer for _, layer in members}))
        total = sum(per_layer[layer] for layer in layers)
        paths = tuple(sorted((path for path, _ in members), key=lambda path: (path.count("/"), path)))
        yield Group(architecture, layers, paths, total, is_base=origin == -1, is_prebuilt=prebuilt)


def _base_layers(counted: Counter[int], per_layer: Counter[int]) -> frozenset[int]:
    """The lowest layers, as long as most of what each has is wrong; layers without binaries do not interrupt."""
    base = []
    for layer in range(max(per_layer, default=-1) + 1):
        if per_layer[layer] and counted[layer] * 2 <= per_layer[layer]:
            break
        if counted[layer]:
            base.append(layer)
    return frozenset(base)
