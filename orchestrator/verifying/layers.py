"""A layer as a stream: from the wire through its digest and decompression to the bytes of its archive.

Nothing is kept: memory stays at a few chunks however large the layer is, and what unpacks to absurd sizes is refused.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator
from enum import StrEnum

from orchestrator.verifying.expectation import Limits
from orchestrator.verifying.hashing import hasher
from orchestrator.verifying.inflate import INFLATE_ERRORS, Inflater, inflater

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_CHUNK = 1 << 18
_PIECE = 1 << 20
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_SKIPPABLE = tuple(bytes([0x50 + number, 0x2A, 0x4D, 0x18]) for number in range(16))
_LARGEST_WINDOW = 27


class Packing(StrEnum):
    """How a layer is compressed; what is no known compression is taken for a bare archive."""

    NONE = "uncompressed"
    GZIP = "gzip"
    ZSTD = "zstd"

    @classmethod
    def of(cls, first: bytes) -> Packing:
        """The compression of content that begins with these bytes: clients look at them, not at the media type."""
        if first.startswith(_GZIP):
            return cls.GZIP
        return cls.ZSTD if first.startswith((_ZSTD, *_SKIPPABLE)) else cls.NONE


class LayerError(Exception):
    """A layer that no client should unpack."""


class DamagedLayerError(LayerError):
    """A layer that is cut off, too long, or not in the format that it begins as."""


class LayerStream:
    """The bytes of a layer's archive, to be read once; digests and sizes are true after `drain`."""

    def __init__(self, read: Callable[[int], bytes], digest: str, size: int, limits: Limits) -> None:
        self._read = read
        self._packed_hash = hasher(digest)
        self._unpacked_hash = hashlib.sha256()
        self._limits = limits
        self._announced = size
        self._piece = b""
        self._at = 0
        self.packed_size = 0
        self.unpacked_size = 0
        self.packing = Packing.NONE
        self._pieces = self._unpack()

    def read(self, size: int) -> bytes:
        """The next bytes, fewer only at the end."""
        available = len(self._piece) - self._at
        if size <= available:
            self._at += size
            return self._piece[self._at - size : self._at]
        parts = []
        while size > 0 and (available := self._ahead()):
            taken = min(size, available)
            parts.append(self._piece[self._at : self._at + taken])
            self._at += taken
            size -= taken
        return b"".join(parts)

    def skip(self, size: int) -> int:
        """Go past so many bytes, and give how many there were."""
        left = size
        while left > 0 and (available := self._ahead()):
            taken = min(left, available)
            self._at += taken
            left -= taken
        return size - left

    def drain(self) -> None:
        """Read what is left, so that the digests are those of the whole."""
        for _ in self._pieces:
            pass
        self.drain_packed()

    def drain_packed(self) -> None:
        """Read what is left without unpacking it, for the digest of the layer alone."""
        for _ in self._chunks():
            pass

    @property
    def hexdigest(self) -> str:
        """The hash of the layer as it came over the wire; empty where its algorithm is not known here."""
        return self._packed_hash.hexdigest() if self._packed_hash else ""

    @property
    def diff_id(self) -> str:
        """The digest of the archive."""
        return f"sha256:{self._unpacked_hash.hexdigest()}"

    def _ahead(self) -> int:
        """How many bytes can be read without asking for the next piece; 0 at the end."""
        if self._at == len(self._piece):
            self._piece, self._at = next(self._pieces, b""), 0
        return len(self._piece) - self._at

    def _chunks(self) -> Iterator[bytes]:
        while chunk := self._read(_CHUNK):
            self.packed_size += len(chunk)
            if self.packed_size > self._announced >= 0:
                raise DamagedLayerError(f"is longer than the {self._announced} bytes that the manifest gives")
            if self._packed_hash:
                self._packed_hash.update(chunk)
            yield chunk

    def _unpack(self) -> Iterator[bytes]:
        chunks = self._chunks()
        first = next(chunks, b"")
        self.packing = Packing.of(first)
        for piece in _unpacked(self.packing, _chain(first, chunks)):
            if piece:
                self._admit(len(piece))
                self._unpacked_hash.update(piece)
                yield piece

    def _admit(self, size: int) -> None:
        self.unpacked_size += size
        limits, packed = self._limits, max(self.packed_size, 1)
        absurd = self.unpacked_size > limits.unpacked_free and self.unpacked_size // packed > limits.unpacked_ratio
        if absurd or self.unpacked_size > limits.unpacked:
            size_now = self.unpacked_size >> 20
            raise LayerError(f"unpacks to more than {size_now} MiB from {packed >> 10} KiB: a decompression bomb")


def _chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from rest


def _unpacked(packing: Packing, chunks: Iterator[bytes]) -> Iterator[bytes]:
    match packing:
        case Packing.GZIP:
            return _gunzip(chunks)
        case Packing.ZSTD:
            return _unzstd(chunks)
        case Packing.NONE:
            return chunks


def _gunzip(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The members of a gzip file one after the other (eStargz layers have one for each file), zeros between skipped."""
    member = inflater()
    for chunk in chunks:
        rest = chunk.lstrip(b"\0") if member.eof else chunk
        while rest:
            member = inflater() if member.eof else member
            yield _inflated(member, rest)
            rest = member.unused_data.lstrip(b"\0") if member.eof else member.unconsumed_tail
    yield _inflated(member, b"")
    if not member.eof:
        raise DamagedLayerError("is cut off: its gzip stream has no end")


def _inflated(member: Inflater, content: bytes) -> bytes:
    try:
        return member.decompress(content, _PIECE)
    except INFLATE_ERRORS as error:
        raise DamagedLayerError(f"does not unpack ({error})") from error


def _unzstd(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The frames of a zstd file one after the other; zstd:chunked layers have many, and frames to be skipped."""
    decoder = _decoder()
    for chunk in chunks:
        rest = chunk
        while rest or not (decoder.eof or decoder.needs_input):
            if decoder.eof:
                decoder = _decoder()
            try:
                yield decoder.decompress(rest, _PIECE)
            except zstd.ZstdError as error:
                raise DamagedLayerError(f"does not unpack ({error})") from error
            rest = decoder.unused_data if decoder.eof else b""
    if not decoder.eof:
        raise DamagedLayerError("is cut off: its zstd stream has no end")


def _decoder() -> zstd.ZstdDecompressor:
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _LARGEST_WINDOW})
