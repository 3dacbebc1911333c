"""Which commit an annotated tag names, read from git's object files and packs (gitformat-pack, version 2)."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_TARGET = re.compile(rb"object ([0-9a-f]{40,64})\ntype (commit|tag)\n")
_LIMIT = 1 << 20
_DEEPEST = 64
_INDEX_HEADER = 8
_FANOUT = 256 * 4
_COMMIT, _TAG, _OFFSET_DELTA, _REFERENCE_DELTA = 1, 4, 6, 7
_LONG_OFFSET = 0x80000000


def tagged_commit(objects: Path, sha: str) -> str:
    """The commit that a tag object names, through tags of tags; empty where the object is no tag or is not found."""
    for _ in range(8):
        target = _TARGET.match(_tag_content(objects, sha))
        if target is None:
            return ""
        sha = target[1].decode()
        if target[2] == b"commit":
            return sha
    return ""


def _tag_content(objects: Path, sha: str) -> bytes:
    try:
        loose = objects / sha[:2] / sha[2:]
        if loose.is_file():
            header, _, body = zlib.decompressobj().decompress(loose.read_bytes()[:_LIMIT], _LIMIT).partition(b"\0")
            return body if header.startswith(b"tag ") else b""
        return next(_packed_contents(objects, bytes.fromhex(sha)), b"")
    except (OSError, zlib.error, ValueError, IndexError):
        return b""


def _packed_contents(objects: Path, name: bytes) -> Iterator[bytes]:
    for index in sorted((objects / "pack").glob("*.idx")):
        offset = _offset(index, name)
        if offset >= 0:
            with index.with_suffix(".pack").open("rb") as pack:
                kind, content = _Pack(pack, index, len(name)).read(offset, 0)
                yield content if kind == _TAG else b""


def _offset(index: Path, name: bytes) -> int:
    """Where an object begins in the pack; -1 where it is not in it."""
    with index.open("rb") as file:
        if file.read(_INDEX_HEADER) != b"\xfftOc\0\0\0\2":
            return -1
        table = file.read(_FANOUT)
        bounds = [int.from_bytes(table[at : at + 4], "big") for at in range(0, _FANOUT, 4)]
        low, high, total = bounds[name[0] - 1] if name[0] else 0, bounds[name[0]], bounds[255]
        names = _INDEX_HEADER + _FANOUT
        while low < high:
            middle = (low + high) // 2
            found = _at(file, names + middle * len(name), len(name))
            if found == name:
                return _offset_of(file, names + total * (len(name) + 4), middle, total)
            low, high = (middle + 1, high) if found < name else (low, middle)
    return -1


def _offset_of(file: BinaryIO, offsets: int, position: int, total: int) -> int:
    short = int.from_bytes(_at(file, offsets + 4 * position, 4), "big")
    if not short & _LONG_OFFSET:
        return short
    return int.from_bytes(_at(file, offsets + 4 * total + 8 * (short - _LONG_OFFSET), 8), "big")


def _at(file: BinaryIO, offset: int, size: int) -> bytes:
    file.seek(offset)
    return file.read(size)


@dataclass(frozen=True, slots=True)
class _Pack:
    pack: BinaryIO
    index: Path
    width: int

    def read(self, offset: int, depth: int) -> tuple[int, bytes]:
        """Kind and content of the object at an offset; commits and trees are not unpacked."""
        data = _at(self.pack, offset, 64)
        kind = data[0] >> 4 & 7
        position = next((at for at, byte in enumerate(data) if not byte & 0x80), 0) + 1
        if kind == _TAG:
            return kind, self._unpacked(offset + position)
        if depth > _DEEPEST or kind not in {_OFFSET_DELTA, _REFERENCE_DELTA}:
            return kind, b""
        base, position = self._parent(offset, data, position, kind)
        kind, content = self.read(base, depth + 1)
        return kind, _patched(content, self._unpacked(offset + position)) if kind == _TAG else b""

    def _parent(self, offset: int, data: bytes, position: int, kind: int) -> tuple[int, int]:
        if kind == _REFERENCE_DELTA:
            end = position + self.width
            return _offset(self.index, data[position:end]), end
        distance = data[position] & 0x7F
        while data[position] & 0x80:
            position += 1
            distance = (distance + 1 << 7) | (data[position] & 0x7F)
        return offset - distance, position + 1

    def _unpacked(self, offset: int) -> bytes:
        return zlib.decompressobj().decompress(_at(self.pack, offset, _LIMIT), _LIMIT)


def _patched(source: bytes, delta: bytes) -> bytes:
    position = _after_size(delta, _after_size(delta, 0))
    result = bytearray()
    while position < len(delta) and len(result) <= _LIMIT:
        command = delta[position]
        position += 1
        if not command & 0x80:
            result += delta[position : position + command]
            position += command
            continue
        start, position = _number(delta, position, command & 0x0F)
        size, position = _number(delta, position, command >> 4 & 7)
        result += source[start : start + (size or 0x10000)]
    return bytes(result)


def _number(delta: bytes, position: int, present: int) -> tuple[int, int]:
    value = 0
    for byte in range(4):
        if present >> byte & 1:
            value |= delta[position] << 8 * byte
            position += 1
    return value, position


def _after_size(delta: bytes, position: int) -> int:
    while delta[position] & 0x80:
        position += 1
    return position + 1
