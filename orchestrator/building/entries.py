"""The entries that a cell gives to its service's index: the image, then its attestations, as they were pushed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from orchestrator.core.errors import BuildError
from orchestrator.core.image import REFERENCE_DIGEST, Descriptor, Document, Manifest
from orchestrator.core.platform import Platform
from orchestrator.registry.media import descriptor_of, descriptor_text, parse

KEY = "dev.mabuild.key"
"""The annotation of an image's entry that holds the key of what it was built from."""
BUILT = "dev.mabuild.built"
"""The annotation of an image's entry that tells when it was built, where that decides how long it may be used."""
TAGS = "dev.mabuild.tags"
"""The annotation of an index that names the tags it was put at, the last one last."""


def entries_of(document: Document, platform: Platform) -> tuple[Descriptor, ...]:
    """The entries of a pushed cell, whether it is an image or an index of an image and its attestations.

    Raises BuildError where it is not one image of the platform, or an attestation is of something else.
    """
    found = parse(document)
    if isinstance(found, Manifest):
        return (descriptor_of(document, platform),)
    images = [entry for entry in found.manifests if not entry.is_attestation]
    if len(images) != 1 or images[0].platform != platform:
        there = ", ".join(str(image.platform or "no platform") for image in images) or "nothing"
        raise BuildError(f"the build for {platform} gave {there} ({document.digest})")
    attestations = tuple(entry for entry in found.manifests if entry.is_attestation)
    require_subjects((*images, *attestations))
    return (images[0], *attestations)


def require_subjects(entries: tuple[Descriptor, ...]) -> None:
    """BuildError where an attestation belongs to no image among the entries."""
    images = {entry.digest for entry in entries if not entry.is_attestation}
    for entry in entries:
        if entry.is_attestation and entry.annotation(REFERENCE_DIGEST) not in images:
            raise BuildError(f"attestation {entry.digest} belongs to no image of the list")


def with_notes(entry: Descriptor, notes: Mapping[str, str]) -> Descriptor:
    """The entry of an image with more annotations; the rest of it, and attestations, as they were."""
    if entry.is_attestation or all(entry.annotation(name) == value for name, value in notes.items()):
        return entry
    annotations = {**dict(entry.annotations), **notes}
    fields = {**json.loads(descriptor_text(entry)), "annotations": annotations}
    return replace(entry, annotations=tuple(annotations.items()), raw=json.dumps(fields, ensure_ascii=False))
