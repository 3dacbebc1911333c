"""What registries hold: descriptors, and documents whose bytes are kept so that their digest can be proven."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from orchestrator.core.platform import Platform

OCI_INDEX = "application/vnd.oci.image.index.v1+json"
OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
OCI_CONFIG = "application/vnd.oci.image.config.v1+json"
DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json"
DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
DOCKER_SCHEMA1 = "application/vnd.docker.distribution.manifest.v1+json"
DOCKER_SCHEMA1_SIGNED = "application/vnd.docker.distribution.manifest.v1+prettyjws"
INDEX_TYPES = frozenset({OCI_INDEX, DOCKER_LIST})
MANIFEST_TYPES = frozenset({OCI_MANIFEST, DOCKER_MANIFEST})

REFERENCE_TYPE = "vnd.docker.reference.type"
REFERENCE_DIGEST = "vnd.docker.reference.digest"
ATTESTATION = "attestation-manifest"


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A pointer to content (image-spec, descriptor.md); `size` in bytes, -1 where none is given.

    `platform` is None where the descriptor names none, which image-spec allows.
    `raw` is the JSON object as it was read, as text, so that a list can carry it on unchanged.
    """

    media_type: str
    digest: str
    size: int
    platform: Platform | None = None
    annotations: tuple[tuple[str, str], ...] = ()
    artifact_type: str = ""
    urls: tuple[str, ...] = ()
    data: bytes = b""
    raw: str = ""

    def annotation(self, key: str) -> str:
        """The value of an annotation, or the empty text."""
        return dict(self.annotations).get(key, "")

    @property
    def is_attestation(self) -> bool:
        """Whether this is one of BuildKit's attestation manifests, which are no platform of the image."""
        return bool(self.annotation(REFERENCE_TYPE))


@dataclass(frozen=True, slots=True)
class Document:
    """A manifest, index or configuration: its media type, its bytes, and the digest of exactly these bytes."""

    media_type: str
    content: bytes
    digest: str

    @classmethod
    def of(cls, media_type: str, content: bytes) -> Document:
        """The document of some bytes, with their digest."""
        return cls(media_type, content, sha256(content))


@dataclass(frozen=True, slots=True)
class Index:
    """An image index (manifest list), parsed; `document` keeps the bytes."""

    document: Document
    manifests: tuple[Descriptor, ...]
    annotations: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """An image manifest, parsed; `subject` is empty where there is none."""

    document: Document
    config: Descriptor
    layers: tuple[Descriptor, ...]
    annotations: tuple[tuple[str, str], ...] = ()
    artifact_type: str = ""
    subject: str = ""


def sha256(content: bytes) -> str:
    """The digest of some bytes."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"
