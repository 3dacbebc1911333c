"""Layers as streams: digests, packings of every shape, what is cut off, and what is made to hurt."""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib

import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.image import sha256
from orchestrator.verifying.expectation import Limits
from orchestrator.verifying.layers import DamagedLayerError, LayerError, LayerStream, Packing

CONTENT = bytes(range(256)) * 5000
SKIPPABLE = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"


def pieces(content: bytes, size: int) -> list[bytes]:
    return [content[start : start + size] for start in range(0, len(content), size)]


PACKED = {
    "bare": CONTENT,
    "gzip": gzip.compress(CONTENT),
    "gzip, many members": b"".join(map(gzip.compress, pieces(CONTENT, 10_000))),
    "gzip, padded with zeros": gzip.compress(CONTENT[:1000]) + bytes(700) + gzip.compress(CONTENT[1000:]) + bytes(9),
    "zstd": zstd.compress(CONTENT),
    "zstd, many frames": b"".join(map(zstd.compress, pieces(CONTENT, 10_000))),
    "zstd, frames to be skipped": b"".join(
        (SKIPPABLE, zstd.compress(CONTENT[:5]), SKIPPABLE, zstd.compress(CONTENT[5:]))
    ),
}


LIMITS = Limits()
MOVE = st.tuples(st.booleans(), st.integers(0, 99_999))


def stream(content: bytes, limits: Limits = LIMITS, size: int | None = None) -> LayerStream:
    announced = len(content) if size is None else size
    return LayerStream(io.BytesIO(content).read, sha256(content), announced, limits)


def drip(content: bytes, step: int) -> LayerStream:
    source = io.BytesIO(content)
    return LayerStream(lambda size: source.read(min(size, step)), sha256(content), len(content), Limits())


@pytest.mark.parametrize("name", PACKED)
def test_content_and_both_digests(name: str) -> None:
    packed = PACKED[name]
    layer = stream(packed)
    assert layer.read(10**9) == CONTENT
    layer.drain()
    assert layer.hexdigest == hashlib.sha256(packed).hexdigest()
    assert layer.diff_id == sha256(CONTENT)
    assert (layer.packed_size, layer.unpacked_size) == (len(packed), len(CONTENT))


@pytest.mark.parametrize("name", PACKED)
def test_drained_without_reading(name: str) -> None:
    layer = stream(PACKED[name])
    layer.drain()
    assert layer.diff_id == sha256(CONTENT)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(PACKED)), st.integers(1, 70_000), st.lists(st.tuples(st.booleans(), st.integers(0, 99_999)))
)
def test_reads_and_skips_of_any_size(name: str, step: int, moves: list[tuple[bool, int]]) -> None:
    layer, at = drip(PACKED[name], max(step, 64)), 0
    for reads, size in moves:
        if reads:
            assert layer.read(size) == CONTENT[at : at + size]
        else:
            assert layer.skip(size) == len(CONTENT[at : at + size])
        at = min(at + size, len(CONTENT))
    layer.drain()
    assert layer.diff_id == sha256(CONTENT)


@pytest.mark.parametrize("name", [name for name in PACKED if name not in ("bare", "gzip, padded with zeros")])
def test_cut_off(name: str) -> None:
    packed = PACKED[name][:-7]
    with pytest.raises(DamagedLayerError, match="cut off"):
        stream(packed).drain()


def test_longer_than_announced_is_not_read_on() -> None:
    with pytest.raises(DamagedLayerError, match="is longer than the 100 bytes"):
        stream(CONTENT, size=100).drain()


def test_garbage_behind_a_member() -> None:
    with pytest.raises(DamagedLayerError, match=r"does not unpack|cut off"):
        stream(gzip.compress(CONTENT) + b"garbage").drain()


def test_digest_of_another_algorithm() -> None:
    digest = f"sha512:{hashlib.sha512(CONTENT).hexdigest()}"
    layer = LayerStream(io.BytesIO(CONTENT).read, digest, len(CONTENT), Limits())
    layer.drain()
    assert f"sha512:{layer.hexdigest}" == digest
    unknown = LayerStream(io.BytesIO(CONTENT).read, "blake3:abc", len(CONTENT), Limits())
    unknown.drain()
    assert unknown.hexdigest == ""


def bomb(packing: Packing, size: int) -> bytes:
    if packing is Packing.ZSTD:
        return zstd.compress(bytes(size))
    packer = zlib.compressobj(9, wbits=31)
    return b"".join([packer.compress(bytes(1 << 20)) for _ in range(size >> 20)] + [packer.flush()])


@pytest.mark.parametrize("packing", [Packing.GZIP, Packing.ZSTD])
def test_decompression_bomb(packing: Packing) -> None:
    layer = stream(bomb(packing, 64 << 20), Limits(unpacked_free=4 << 20))
    with pytest.raises(LayerError, match="decompression bomb"):
        layer.drain()
    assert layer.unpacked_size < 32 << 20


def test_a_sparse_layer_below_the_bound_is_fine() -> None:
    stream(bomb(Packing.GZIP, 8 << 20)).drain()


def test_packing_is_told_by_the_bytes() -> None:
    assert Packing.of(b"\x1f\x8b\x08") is Packing.GZIP
    assert Packing.of(b"\x28\xb5\x2f\xfd") is Packing.ZSTD
    assert Packing.of(SKIPPABLE) is Packing.ZSTD
    assert Packing.of(b"usr/\0") is Packing.NONE
    assert Packing.of(b"") is Packing.NONE
