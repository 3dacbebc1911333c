"""MV302 same-content-on-two-platforms."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from orchestrator.core.finding import Severity
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Entry, Evidence
from orchestrator.verifying.foreign import binaries

_NOTABLE = 1 << 20


@check("MV302", "same-content-on-two-platforms", Severity.WARNING)
def same_content(evidence: Evidence) -> Iterator[Problem]:
    """Two platforms of different architectures have the same layers.

    Unless the image holds no binaries at all, one of them has those of the other. It costs no download to see, and it
    is what a hard-coded `--platform=linux/amd64`, a single-platform base or a wrong `docker tag` leave behind. Where
    only the lowest layers are the same it is a note: certificates and scripts may well be. Level `full` looks inside
    and drops the finding where there are no binaries.

    Look for `--platform` in FROM, for a base image without the platform, and for tags that were copied by hand.
    """
    images = [entry for entry in evidence.images if entry.layers and entry.platform]
    for first, other in combinations(images, 2):
        if first.platform and other.platform and first.platform.architecture != other.platform.architecture:
            yield from _problems(evidence, first, other)


def _problems(evidence: Evidence, first: Entry, other: Entry) -> Iterator[Problem]:
    if first.descriptor.digest == other.descriptor.digest:
        message = f"{first.label} and {other.label} are one and the same image"
        yield Problem(message, platform=other.label, severity=Severity.ERROR)
    elif first.layer_digests == other.layer_digests and not _is_without_binaries(evidence, first):
        count = f"{len(first.layers)} layers" if len(first.layers) > 1 else "layer"
        yield Problem(f"{first.label} and {other.label} have the same {count}", platform=other.label)
    elif first.layer_digests != other.layer_digests:
        yield from _same_base(evidence, first, other)


def _same_base(evidence: Evidence, first: Entry, other: Entry) -> Iterator[Problem]:
    shared = 0
    for one, two in zip(first.layers, other.layers, strict=False):
        if one.digest != two.digest:
            break
        shared += 1
    size = sum(layer.size for layer in first.layers[:shared])
    if size >= _NOTABLE and not evidence.contents:
        layers = f"lowest {shared} layers" if shared > 1 else "lowest layer"
        message = f"{first.label} and {other.label} have the same {layers} ({size / 2**20:.0f} MiB)"
        yield Problem(message, platform=other.label, severity=Severity.NOTE)


def _is_without_binaries(evidence: Evidence, entry: Entry) -> bool:
    """Whether the whole image was looked into and has no ELF file."""
    whole = [one for one in evidence.contents if one.entry is entry and not one.files.is_partial and not one.unread]
    return bool(whole) and not any(True for _ in binaries(whole[0]))
