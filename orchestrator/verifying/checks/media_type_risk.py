"""MV208 media-type-risk."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.finding import Severity
from orchestrator.core.image import DOCKER_LIST, DOCKER_MANIFEST, OCI_INDEX, OCI_MANIFEST, Descriptor
from orchestrator.verifying.check import Problem, check
from orchestrator.verifying.evidence import Entry, Evidence, short
from orchestrator.verifying.media_types import DOCKER_ZSTD, LAYER_TYPES, SCHEMA1

_FAMILIES = {OCI_INDEX: OCI_MANIFEST, DOCKER_LIST: DOCKER_MANIFEST}


@check("MV208", "media-type-risk", Severity.WARNING)
def media_type_risk(evidence: Evidence) -> Iterator[Problem]:
    """The image is made of kinds of content that some clients refuse.

    Docker's zstd layers are in no specification: podman and older engines refuse them. Layers with `urls` are fetched
    from somewhere else. Digests other than sha256 are not understood by docker. Manifests of schema 1 are refused by
    every current engine, which is an error. Docker and OCI types in one list are legal; some registries refuse them.

    Build with `--output type=image,oci-mediatypes=true,compression=gzip`, or zstd with OCI media types.
    """
    for descriptor in evidence.ignored:
        if descriptor.media_type in SCHEMA1:
            message = f"{short(descriptor.digest)} is a manifest of schema 1, which current engines refuse"
            yield Problem(message, severity=Severity.ERROR)
    family = _FAMILIES.get(evidence.root.media_type, "")
    for entry in evidence.images:
        if family and entry.descriptor.media_type != family:
            message = (
                f"a {entry.descriptor.media_type} in a {evidence.root.media_type}: some registries refuse the mixture"
            )
            yield Problem(message, platform=entry.label, severity=Severity.NOTE)
        yield from _layers(entry)


def _layers(entry: Entry) -> Iterator[Problem]:
    groups: dict[tuple[str, Severity], list[Descriptor]] = {}
    for layer in entry.layers:
        for risk in _risks(layer):
            groups.setdefault(risk, []).append(layer)
    for (words, severity), layers in groups.items():
        count = f"{len(layers)} layers are" if len(layers) > 1 else f"the layer {short(layers[0].digest)} is"
        yield Problem(f"{count} {words}", platform=entry.label, severity=severity)


def _risks(layer: Descriptor) -> Iterator[tuple[str, Severity]]:
    if layer.media_type == DOCKER_ZSTD:
        yield "of Docker's zstd type, which podman and older engines refuse", Severity.WARNING
    elif layer.media_type not in LAYER_TYPES:
        yield f"of type {layer.media_type or '(none)'}, which is not looked into", Severity.NOTE
    if layer.urls:
        yield "fetched from another place than the registry (urls)", Severity.WARNING
    if not layer.digest.startswith("sha256:"):
        yield "named by another digest than sha256, which docker does not understand", Severity.WARNING
