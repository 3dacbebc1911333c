"""Images in one tar file: OCI archives, and what `docker save` writes, in its new and its old form."""

from __future__ import annotations

import io
import os
import posixpath
import tarfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from orchestrator.core.errors import UsageError
from orchestrator.registry.errors import MalformedError, NotFoundError, TooLargeError
from orchestrator.registry.layout import INDEX_FILE, Content
from orchestrator.registry.wire import LIMITS

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_MOST_MEMBERS = 200_000
_MOST_LINKS = 8
_BUFFER = 256 * 1024


@dataclass(frozen=True, slots=True)
class Member:
    """Where a file lies in a tar file; `link` is the member that it points at instead."""

    offset: int
    size: int
    link: str = ""


class Window(io.RawIOBase):
    """A part of an open file as a stream of its own; several threads may read several windows of one file."""

    def __init__(self, file: BinaryIO, member: Member) -> None:
        super().__init__()
        self._file = file
        self._offset = member.offset
        self._left = member.size

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Read some bytes of the part."""
        view = memoryview(buffer).cast("B")[: self._left]
        count = os.preadv(self._file.fileno(), [view], self._offset) if view else 0
        self._offset += count
        self._left -= count
        return count


class TarFile:
    """The regular files of an uncompressed tar file, found once and read in any order."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.name = name
        self._file = file
        self._members = _members(file, name)

    def __contains__(self, path: str) -> bool:
        return self._find(path) is not None

    def size(self, path: str) -> int:
        """The size of a member; NotFoundError where there is none."""
        return self._member(path).size

    def open(self, path: str) -> BinaryIO:
        """A member's bytes; NotFoundError where there is none."""
        return cast("BinaryIO", io.BufferedReader(Window(self._file, self._member(path)), _BUFFER))

    def read(self, path: str, limit: int) -> bytes:
        """All of a small member; TooLargeError over `limit` bytes."""
        if self.size(path) > limit:
            raise TooLargeError(f"{path} in {self.name} has {self.size(path):,} bytes; at most {limit:,} are read")
        with self.open(path) as stream:
            return stream.read()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _member(self, path: str) -> Member:
        found = self._find(path)
        if found is None:
            raise NotFoundError(f"{self.name} has no {path}")
        return found

    def _find(self, path: str) -> Member | None:
        for _ in range(_MOST_LINKS):
            found = self._members.get(path)
            if found is None or not found.link:
                return found
            path = found.link
        return None


class OciArchive:
    """A layout in a tar file."""

    def __init__(self, tar: TarFile) -> None:
        self._tar = tar
        self.name = tar.name

    def index(self) -> bytes:
        """The bytes of `index.json`."""
        return self._tar.read(INDEX_FILE, LIMITS.manifest)

    def size(self, digest: str) -> int:
        """The size of a blob."""
        return self._tar.size(_blob_path(digest))

    def open(self, digest: str) -> AbstractContextManager[BinaryIO]:
        """A blob's bytes."""
        return self._tar.open(_blob_path(digest))

    def close(self) -> None:
        """Close the file."""
        self._tar.close()


def open_archive(file: BinaryIO, name: str) -> Content:
    """The layout in a tar file, in whichever form it is; UsageError where it is no image."""
    tar = TarFile(file, name)
    if INDEX_FILE in tar:
        return OciArchive(tar)
    from orchestrator.registry.docker_archive import LIST_FILE, DockerArchive

    if LIST_FILE in tar:
        return DockerArchive(tar)
    raise UsageError(f"{name} holds no image", hint=f"there is neither {INDEX_FILE} nor {LIST_FILE} in it")


def open_archive_file(path: Path) -> Content:
    """The layout in the tar file at a path."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    try:
        return open_archive(file, f"the archive {path}")
    except BaseException:
        file.close()
        raise


def _blob_path(digest: str) -> str:
    return f"blobs/{digest.replace(':', '/', 1)}"


def _members(file: BinaryIO, name: str) -> dict[str, Member]:
    try:
        with tarfile.open(fileobj=file, mode="r:") as archive:
            found = dict(_listed(archive))
    except tarfile.TarError as error:
        hint = "an uncompressed tar file is needed, as skopeo and `docker save` write it"
        raise MalformedError(f"{name} is not a whole tar file", hint=hint) from error
    if len(found) > _MOST_MEMBERS:
        raise TooLargeError(f"{name} has more than {_MOST_MEMBERS:,} members")
    return found


def _listed(archive: tarfile.TarFile) -> Iterator[tuple[str, Member]]:
    """All members (one more than are read at most); tarfile itself keeps none of them in memory."""
    for info in islice(archive, _MOST_MEMBERS + 1):
        yield _normal(info.name), _member(info)
        archive.members = []  # type: ignore[attr-defined]


def _member(info: tarfile.TarInfo) -> Member:
    if info.issym():
        return Member(0, 0, _normal(posixpath.join(posixpath.dirname(info.name), info.linkname)))
    if info.islnk():
        return Member(0, 0, _normal(info.linkname))
    return Member(info.offset_data, info.size if info.isreg() else 0)


def _normal(path: str) -> str:
    return posixpath.normpath(path).lstrip("/")
