"""What every place that holds images can do, whether a registry, a layout folder or the docker daemon."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import BinaryIO, Protocol

from orchestrator.core.image import Descriptor, Document
from orchestrator.core.reference import Reference


class Store(Protocol):
    """Reading images. References carry a tag or a digest; blobs belong to the repository of a reference."""

    def resolve(self, reference: Reference) -> Descriptor:
        """Digest, size and media type of a manifest, without fetching it; NotFoundError where there is none."""
        ...

    def manifest(self, reference: Reference) -> Document:
        """A manifest or index, its digest computed from the bytes; DigestError where it is not the one asked for."""
        ...

    def blob_size(self, repository: Reference, digest: str) -> int:
        """The size of a blob in bytes, without fetching it; NotFoundError where there is none."""
        ...

    def blob(self, repository: Reference, digest: str) -> AbstractContextManager[BinaryIO]:
        """A blob's bytes as a stream; the caller checks the digest while reading."""
        ...


class WritableStore(Store, Protocol):
    """Writing manifests."""

    def put_manifest(self, reference: Reference, document: Document) -> str:
        """Put a manifest or index at a tag or digest, and give the digest that the store confirms."""
        ...
