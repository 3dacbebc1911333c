"""The archive reader against tarfile, and against archives that are made to break it."""

from __future__ import annotations

import io
import random
import tarfile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.verifying.archive import Archive, Kind, Member
from orchestrator.verifying.layers import LayerError

LETTERS = st.characters(codec="utf-8", exclude_characters="\0")
NAMES = st.text(LETTERS, min_size=1, max_size=120).filter(lambda name: not name.endswith("/") and bool(name.strip("/")))
KINDS = {
    tarfile.REGTYPE: Kind.FILE,
    tarfile.DIRTYPE: Kind.DIRECTORY,
    tarfile.SYMTYPE: Kind.SYMLINK,
    tarfile.LNKTYPE: Kind.HARDLINK,
    tarfile.FIFOTYPE: Kind.OTHER,
}


class Stream:
    """Bytes as an archive is read from."""

    def __init__(self, content: bytes) -> None:
        self._source = io.BytesIO(content)

    def read(self, size: int) -> bytes:
        return self._source.read(size)

    def skip(self, size: int) -> int:
        return len(self._source.read(size))


def members(content: bytes) -> list[tuple[Member, bytes]]:
    archive = Archive(Stream(content))
    return [(member, archive.read(member.size)) for member in archive]


def made(kind: int, entries: list[tuple[str, bytes, str, bytes]], **fields: Any) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=kind, **fields) as tar:
        for name, type_flag, target, content in entries:
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.mode = type_flag, target, 0o4755
            info.size = len(content) if type_flag == tarfile.REGTYPE else 0
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT]),
    st.lists(st.tuples(NAMES, st.sampled_from(sorted(KINDS)), NAMES, st.binary(max_size=1500)), max_size=8),
)
def test_tarfile_reads_the_same(kind: int, entries: list[tuple[str, bytes, str, bytes]]) -> None:
    content = made(kind, entries)
    read = members(content)
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        expected = tar.getmembers()
        assert [member.path.rstrip("/") for member, _ in read] == [info.name.rstrip("/") for info in expected]
        for (member, body), info in zip(read, expected, strict=True):
            assert member.kind is KINDS[info.type]
            assert member.mode == info.mode
            if info.isfile():
                stored = tar.extractfile(info)
                assert stored is not None
                assert body == stored.read()
            if member.kind in (Kind.SYMLINK, Kind.HARDLINK):
                assert member.target == info.linkname


def test_ustar_prefixes() -> None:
    name = "d" * 90 + "/" + "e" * 90
    assert members(made(tarfile.USTAR_FORMAT, [(name, tarfile.REGTYPE, "", b"x")]))[0][0].path == name


def test_what_is_not_read_is_skipped() -> None:
    content = made(tarfile.PAX_FORMAT, [(str(n), tarfile.REGTYPE, "", bytes(700)) for n in range(5)])
    archive = Archive(Stream(content))
    assert [member.path for member in archive] == ["0", "1", "2", "3", "4"]


def test_large_sizes_in_base_256_and_in_pax_records() -> None:
    for kind in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        info = tarfile.TarInfo("big")
        info.size = 9 << 30
        content = info.tobuf(kind)
        archive = Archive(Stream(content + bytes(2048)))
        assert next(iter(archive)).size == 9 << 30


def test_pax_headers_for_all_and_for_one() -> None:
    content = made(tarfile.PAX_FORMAT, [("a", tarfile.REGTYPE, "", b"1")], pax_headers={"comment": "x" * 2000})
    assert [member.path for member, _ in members(content)] == ["a"]


def test_unknown_types_are_passed_over() -> None:
    entries = [("odd", tarfile.REGTYPE, "", b"12345"), ("b", tarfile.REGTYPE, "", b"2")]
    content = bytearray(made(tarfile.USTAR_FORMAT, entries))
    content[156] = ord("Z")
    content[148:156] = b" " * 8
    content[148:156] = f"{sum(content[:512]):06o}\0 ".encode()
    read = [(member.path, member.kind) for member, _ in members(bytes(content))]
    assert read == [("odd", Kind.OTHER), ("b", Kind.FILE)]


def test_names_that_are_no_text_can_be_printed() -> None:
    content = bytearray(made(tarfile.USTAR_FORMAT, [("x?y", tarfile.REGTYPE, "", b"")]))
    content[1] = 0xFF
    content[148:156] = b" " * 8
    content[148:156] = f"{sum(content[:512]):06o}\0 ".encode()
    assert members(bytes(content))[0][0].path == "x\\xffy"


def test_an_empty_archive_and_one_without_end() -> None:
    assert members(b"") == []
    assert members(bytes(1024)) == []
    content = made(tarfile.USTAR_FORMAT, [("a", tarfile.REGTYPE, "", b"1")])[:1024]
    assert [member.path for member, _ in members(content)] == ["a"]


def test_old_sparse_files_are_passed_over_with_their_maps() -> None:
    block = bytearray(tarfile.TarInfo("sparse").tobuf(tarfile.GNU_FORMAT))
    block[156:157] = b"S"
    block[482] = 1
    block[124:136] = b"00000001000\0"
    block[148:156] = b" " * 8
    block[148:156] = f"{sum(block):06o}\0 ".encode()
    first, last = bytearray(512), bytearray(512)
    first[504] = 1
    after = made(tarfile.USTAR_FORMAT, [("next", tarfile.REGTYPE, "", b"1")])
    read = members(bytes(block) + bytes(first) + bytes(last) + bytes(512) + after)
    assert [(member.path, member.is_sparse) for member, _ in read] == [("sparse", True), ("next", False)]


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda content: content[:700], "cut off"),
        (lambda content: content[:300], "cut off"),
        (lambda content: b"x" + content[1:], "checksum"),
        (lambda content: bytes(range(1, 201)) * 100, "none|checksum|impossible"),
    ],
)
def test_damaged_archives(damage: Any, words: str) -> None:
    content = made(tarfile.USTAR_FORMAT, [("a", tarfile.REGTYPE, "", bytes(900))])
    with pytest.raises(LayerError, match=words):
        members(damage(content))


def test_headers_that_would_fill_the_memory_are_refused() -> None:
    info = tarfile.TarInfo("././@PaxHeader")
    info.type, info.size = tarfile.XHDTYPE, 8 << 30
    with pytest.raises(LayerError, match="an archive header of 8388608 KiB"):
        members(info.tobuf(tarfile.GNU_FORMAT) + bytes(4096))


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32))
def test_damaged_archives_raise_nothing_else(seed: int) -> None:
    chance = random.Random(seed)
    entries = [("n" * chance.randrange(1, 150), tarfile.REGTYPE, "t", bytes(chance.randrange(900))) for _ in range(3)]
    content = bytearray(made(chance.choice([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT]), entries))
    for _ in range(chance.randrange(1, 4)):
        start = chance.randrange(len(content) // 512) * 512
        block = content[start : start + 512]
        block[chance.randrange(len(block))] = chance.randrange(256)
        if chance.random() < 0.7:
            block[148:156] = b" " * 8
            block[148:156] = f"{sum(block):06o}\0 ".encode()[:8]
        content[start : start + 512] = block
    try:
        members(bytes(content))
    except LayerError:
        return
