"""A store over an OCI image layout (image-spec, image-layout.md), whether a folder or a tar file holds it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, Protocol

from orchestrator.core.errors import UsageError
from orchestrator.core.image import OCI_INDEX, Descriptor, Document
from orchestrator.core.reference import Reference, is_digest, is_tag
from orchestrator.registry.digest import require_digest
from orchestrator.registry.errors import NotFoundError, TooLargeError
from orchestrator.registry.media import media_type_of, parse_index
from orchestrator.registry.wire import LIMITS

REFERENCE_NAME = "org.opencontainers.image.ref.name"
IMAGE_NAME = "io.containerd.image.name"
INDEX_FILE = "index.json"


class Content(Protocol):
    """The files of a layout."""

    @property
    def name(self) -> str:
        """How messages name it."""
        ...

    def index(self) -> bytes:
        """The bytes of `index.json`, at most 4 MiB."""
        ...

    def size(self, digest: str) -> int:
        """The size of a blob; NotFoundError where there is none."""
        ...

    def open(self, digest: str) -> AbstractContextManager[BinaryIO]:
        """A blob's bytes; NotFoundError where there is none. The digest has been checked to be one."""
        ...

    def close(self) -> None:
        """Let go of what is open."""
        ...


class LayoutStore:
    """Reads images of a layout. References need a digest; `choose` finds it from a tag."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._index = parse_index(Document.of(OCI_INDEX, content.index()))

    def choose(self, tag: str) -> Document:
        """The image of a tag, or without a tag the only one; UsageError with the choice where that is not clear."""
        entries = self._index.manifests
        found = [entry for entry in entries if not tag or tag in names_of(entry)]
        if len({entry.digest for entry in found}) == 1:
            return self._document(found[0].digest, found[0].media_type)
        if not tag and len(found) > 1 and all(entry.platform and not names_of(entry) for entry in found):
            return self._index.document
        names = sorted({name for entry in entries for name in names_of(entry)})
        there = f"it has {', '.join(names[:20])}" if names else f"it has {len(entries)} images without a name"
        if tag and not found:
            raise NotFoundError(f"{self._content.name} has no image {tag}", hint=there)
        hint = f"{there}; name one after a colon, or a digest after @" if entries else "it is empty"
        raise UsageError(f"{self._content.name} does not hold exactly one image", hint=hint)

    def resolve(self, reference: Reference) -> Descriptor:
        """Digest, size and media type of a manifest."""
        document = self.manifest(reference)
        return Descriptor(document.media_type, document.digest, len(document.content))

    def manifest(self, reference: Reference) -> Document:
        """A manifest or index, proven by its bytes."""
        if not reference.digest:
            return self.choose(reference.tag)
        if reference.digest == self._index.document.digest:
            return self._index.document
        return self._document(reference.digest, "")

    def blob_size(self, repository: Reference, digest: str) -> int:  # noqa: ARG002
        """The size of a blob in bytes; NotFoundError where there is none."""
        return self._content.size(self._checked(digest))

    def blob(self, repository: Reference, digest: str) -> AbstractContextManager[BinaryIO]:  # noqa: ARG002
        """A blob's bytes as a stream; the caller checks the digest."""
        return self._content.open(self._checked(digest))

    def close(self) -> None:
        """Let go of what is open."""
        self._content.close()

    def _document(self, digest: str, media_type: str) -> Document:
        with self._content.open(self._checked(digest)) as stream:
            content = stream.read(LIMITS.manifest + 1)
        what = f"the manifest {digest} in {self._content.name}"
        if len(content) > LIMITS.manifest:
            raise TooLargeError(f"{what} is larger than the {LIMITS.manifest:,} bytes that are read")
        require_digest(digest, content, what)
        return Document(media_type_of(content, media_type), content, digest)

    def _checked(self, digest: str) -> str:
        if not is_digest(digest):
            raise NotFoundError(f"{digest!r} is not a digest; nothing in {self._content.name} has it")
        return digest


class DirectoryContent:
    """A layout in a folder."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.name = f"the OCI layout {directory}"

    def index(self) -> bytes:
        """The bytes of `index.json`."""
        path = self._directory / INDEX_FILE
        try:
            size = path.stat().st_size if path.is_file() else -1
            if 0 <= size <= LIMITS.manifest:
                return path.read_bytes()
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from error
        if size > LIMITS.manifest:
            raise TooLargeError(f"{path} has {size:,} bytes; at most {LIMITS.manifest:,} are read")
        raise UsageError(f"{self._directory} is not an OCI layout", hint=f"there is no {INDEX_FILE} in it")

    def size(self, digest: str) -> int:
        """The size of a blob."""
        return self._path(digest).stat().st_size

    def open(self, digest: str) -> AbstractContextManager[BinaryIO]:
        """A blob's bytes."""
        path = self._path(digest)
        try:
            return path.open("rb")
        except OSError as error:
            raise NotFoundError(f"{path} cannot be read: {error.strerror}") from error

    def close(self) -> None:
        """Nothing stays open."""

    def _path(self, digest: str) -> Path:
        algorithm, _, value = digest.partition(":")
        path = self._directory / "blobs" / algorithm / value
        if not path.is_file():
            raise NotFoundError(f"{self.name} has no {digest}")
        return path


def names_of(entry: Descriptor) -> tuple[str, ...]:
    """The names by which an entry of a layout can be asked for: its tag, and its whole name in long and short form."""
    written = [name for name in (entry.annotation(REFERENCE_NAME), entry.annotation(IMAGE_NAME)) if name]
    forms = [form for name in written for form in _forms(name)]
    return tuple(dict.fromkeys([*written, *forms]))


def _forms(name: str) -> tuple[str, ...]:
    if is_tag(name):
        return ()
    try:
        reference = Reference.parse(name)
    except UsageError:
        return ()
    return reference.tag, str(reference), reference.familiar
