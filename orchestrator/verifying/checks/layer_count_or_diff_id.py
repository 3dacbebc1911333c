"""MV207 layer-count-or-diff-id."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.configuration import ImageConfig
from orchestrator.verifying.evidence import Entry, Evidence


@check("MV207", "layer-count-or-diff-id", Severity.ERROR)
def layer_count_or_diff_id(evidence: Evidence) -> Iterator[Problem]:
    """The layers are not those that the configuration describes, or they cannot be unpacked.

    The configuration lists the digest of every unpacked layer, lowest first. Another number of layers makes containerd
    refuse the image (`mismatched image rootfs and manifest layers`), another digest makes it refuse the layer. Layers
    that are cut off, that unpack to absurd sizes or that write outside the image are refused as well.

    Push the image again with one tool; do not edit manifests by hand.
    """
    for entry in evidence.images:
        if entry.config is not None:
            yield from _shape(entry, entry.config)


def _shape(entry: Entry, config: ImageConfig) -> Iterator[Problem]:
    if config.rootfs_type != "layers":
        written = f"'{config.rootfs_type}'" if config.rootfs_type else "empty"
        yield Problem(f"the configuration's rootfs type is {written} and not 'layers'", platform=entry.label)
    if len(config.diff_ids) != len(entry.layers):
        message = f"the manifest has {len(entry.layers)} layers, the configuration {len(config.diff_ids)}"
        yield Problem(message, platform=entry.label)
