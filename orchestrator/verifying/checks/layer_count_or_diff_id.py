"""MV207 layer-count-or-diff-id."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.configuration import ImageConfig
from orchestrator.verifying.evidence import Entry, Evidence, short


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
            yield from _diff_ids(evidence, entry, entry.config)
    for digest, scan in evidence.scans.items():
        users = ", ".join(dict.fromkeys(entry.label for entry in evidence.sharing(digest)))
        for problem in scan.problems:
            yield Problem(f"the layer {short(digest)} {problem}", platform=users)
        if scan.twice:
            message = f"the layer {short(digest)} has {scan.twice} files twice, which image-spec forbids"
            yield Problem(message, platform=users, severity=Severity.WARNING)
    for content in evidence.contents:
        if content.files.broken_links:
            path = content.files.broken_links[0]
            message = f"{len(content.files.broken_links)} hard links lead to nothing, such as /{path}"
            yield Problem(message, content.entry.label, f"/{path}")


def _diff_ids(evidence: Evidence, entry: Entry, config: ImageConfig) -> Iterator[Problem]:
    for number, (layer, claimed) in enumerate(zip(entry.layers, config.diff_ids, strict=False)):
        scan = evidence.scans.get(layer.digest)
        if scan is None or not scan.diff_id or scan.damage or not claimed.startswith("sha256:"):
            continue
        if scan.diff_id != claimed:
            message = f"layer {number + 1} unpacks to {short(scan.diff_id)}, the configuration says {short(claimed)}"
            yield Problem(message, platform=entry.label)


def _shape(entry: Entry, config: ImageConfig) -> Iterator[Problem]:
    if config.rootfs_type != "layers":
        written = f"'{config.rootfs_type}'" if config.rootfs_type else "empty"
        yield Problem(f"the configuration's rootfs type is {written} and not 'layers'", platform=entry.label)
    if len(config.diff_ids) != len(entry.layers):
        message = f"the manifest has {len(entry.layers)} layers, the configuration {len(config.diff_ids)}"
        yield Problem(message, platform=entry.label)
