"""Reads a tar archive as a stream, member by member.

tarfile reads extended headers of any size into memory and copies what it skips; layers come from strangers, so here
every header is bounded. Formats: ustar, pax, GNU (long names, base-256 numbers, sparse files).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from orchestrator.verifying.layers import DamagedLayerError, LayerError

_BLOCK = 512
_LONGEST_NAME = 1 << 16
_LARGEST_PAX = 1 << 20
_SPARSE_EXTENDED_AT, _SPARSE_MORE_AT = 482, 504


class Kind(StrEnum):
    """What a member of an archive is; a type that is not known counts as OTHER and its content is skipped."""

    FILE = "f"
    DIRECTORY = "d"
    SYMLINK = "l"
    HARDLINK = "h"
    OTHER = "o"


_KINDS = {
    b"0": Kind.FILE,
    b"\0": Kind.FILE,
    b"7": Kind.FILE,
    b"1": Kind.HARDLINK,
    b"2": Kind.SYMLINK,
    b"5": Kind.DIRECTORY,
    b"S": Kind.FILE,
}


@dataclass(frozen=True, slots=True)
class Member:
    """One member; `path` and `target` as they are written. `size` bytes can be read; a sparse file's are left out."""

    path: str
    kind: Kind
    mode: int
    size: int
    target: str = ""
    is_sparse: bool = False


class Stream(Protocol):
    """What an archive is read from."""

    def read(self, size: int) -> bytes:
        """The next bytes, fewer only at the end."""
        ...

    def skip(self, size: int) -> int:
        """Go past so many bytes, and give how many there were."""
        ...


class Archive:
    """Iterate over it for the members; while one is at hand, `read` gives its content."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._left = 0
        self._padding = 0

    def read(self, size: int) -> bytes:
        """The next bytes of the member at hand."""
        content = self._stream.read(min(size, self._left))
        if len(content) < min(size, self._left):
            raise DamagedLayerError("is cut off in the middle of a file")
        self._left -= len(content)
        return content

    def __iter__(self) -> Iterator[Member]:
        shared: dict[str, str] = {}
        own: dict[str, str] = {}
        while block := self._header():
            size, type_flag = _number(block[124:136]), block[156:157]
            match type_flag:
                case b"x" | b"g":
                    records = _pax_records(self._bounded(size, _LARGEST_PAX))
                    (own if type_flag == b"x" else shared).update(records)
                case b"L" | b"K":
                    name = _text(self._bounded(size, _LONGEST_NAME))
                    own["path" if type_flag == b"L" else "linkpath"] = name
                case _:
                    yield self._member(block, {**shared, **own})
                    own = {}
                    self._finish()

    def _header(self) -> bytes:
        """The next header block; empty at the end of the archive."""
        block = self._stream.read(_BLOCK)
        if not block or block.count(0) == _BLOCK:
            return b""
        if len(block) < _BLOCK:
            raise DamagedLayerError("is cut off in the middle of a header")
        total = sum(block) - sum(block[148:156]) + 8 * 32
        if _number(block[148:156]) != total:
            raise DamagedLayerError("holds no archive: the checksum of a header is wrong")
        return block

    def _member(self, block: bytes, records: dict[str, str]) -> Member:
        size = _size(records, block)
        kind = _KINDS.get(block[156:157], Kind.OTHER)
        stored = 0 if kind in _WITHOUT_CONTENT else size
        if block[156:157] == b"S" and block[_SPARSE_EXTENDED_AT]:
            self._skip_sparse_maps()
        self._left, self._padding = stored, -stored % _BLOCK
        sparse = block[156:157] == b"S" or any(key.startswith("GNU.sparse.") for key in records)
        path = records.get("GNU.sparse.name") or records.get("path") or _path(block)
        if kind is Kind.FILE and path.endswith("/"):
            kind = Kind.DIRECTORY
        target = records.get("linkpath") or _text(block[157:257])
        return Member(path, kind, _number(block[100:108]) & 0o7777, stored, target, is_sparse=sparse)

    def _finish(self) -> None:
        wanted = self._left + self._padding
        if self._stream.skip(wanted) < self._left:
            raise DamagedLayerError("is cut off in the middle of a file")
        self._left = self._padding = 0

    def _bounded(self, size: int, limit: int) -> bytes:
        if size > limit:
            raise LayerError(f"holds an archive header of {size >> 10} KiB")
        content = self._stream.read(size)
        if len(content) < size:
            raise DamagedLayerError("is cut off in the middle of a header")
        self._stream.skip(-size % _BLOCK)
        return content

    def _skip_sparse_maps(self) -> None:
        while (block := self._stream.read(_BLOCK)) and len(block) == _BLOCK and block[_SPARSE_MORE_AT]:
            pass


_WITHOUT_CONTENT = frozenset({Kind.DIRECTORY, Kind.SYMLINK, Kind.HARDLINK})


def _size(records: dict[str, str], block: bytes) -> int:
    written = records.get("size", "")
    return int(written) if written.isascii() and written.isdigit() and len(written) < 20 else _number(block[124:136])


def _path(block: bytes) -> str:
    name, prefix = _text(block[0:100]), _text(block[345:500])
    return f"{prefix}/{name}" if prefix and block[257:263] == b"ustar\0" else name


def _text(field: bytes) -> str:
    """A name; bytes that are no UTF-8 become escapes, so that everything can be printed and stored."""
    return field.partition(b"\0")[0].decode("utf-8", "backslashreplace")


def _number(field: bytes) -> int:
    """A number in octal digits, or in base 256 where the first bit is set."""
    if field[0] & 0x80:
        value = int.from_bytes(bytes([field[0] & 0x7F]) + field[1:], "big")
        if field[0] & 0x40 or value > 1 << 60:
            raise DamagedLayerError("holds no archive: a size is impossible")
        return value
    digits = field.replace(b"\0", b" ").strip()
    if digits and not digits.isdigit():
        raise DamagedLayerError("holds no archive: a number is none")
    try:
        return int(digits, 8) if digits else 0
    except ValueError as error:
        raise DamagedLayerError("holds no archive: a number is none") from error


def _pax_records(content: bytes) -> dict[str, str]:
    """`LENGTH KEY=VALUE` records."""
    records: dict[str, str] = {}
    position = 0
    while position < len(content):
        length, space, _ = content[position : position + 24].partition(b" ")
        if not space or not length.isdigit() or not len(length) + 1 < int(length) <= len(content) - position:
            raise DamagedLayerError("holds no archive: an extended header is broken")
        record = content[position + len(length) + 1 : position + int(length) - 1]
        key, _, value = record.partition(b"=")
        records[key.decode("utf-8", "backslashreplace")] = value.decode("utf-8", "backslashreplace")
        position += int(length)
    return records
