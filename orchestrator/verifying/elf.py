"""Reads from the first bytes of an ELF file what it runs on and what it needs; every field is bounds-checked."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

MAGIC = b"\x7fELF"
HEADER = 64
RELOCATABLE, EXECUTABLE, SHARED, CORE = 1, 2, 3, 4

NO_MACHINE, I386, PPC64, S390, ARM, X86_64 = 0, 3, 21, 22, 40, 62
MIPS, CUDA, AARCH64, AMDGPU, RISCV, BPF, LOONGARCH = 8, 190, 183, 224, 243, 247, 258

LOAD, DYNAMIC, INTERPRETER, NOTE, GNU_PROPERTY = 1, 2, 3, 4, 0x6474E553
_NEEDED, _STRING_TABLE, _STRING_SIZE, _SONAME, _RPATH, _RUNPATH = 1, 5, 10, 14, 15, 29
_MOST_HEADERS, _MOST_DYNAMIC, _MOST_STRINGS = 64, 4096, 512
_LONGEST_PATH = 4096
_PROPERTY_TYPE, _X86_ISA_NEEDED = 5, 0xC0008002


@dataclass(frozen=True, slots=True)
class Segment:
    """A program header: where in the file, at which address, and whether it is writable."""

    type: int
    offset: int
    address: int
    size: int
    writable: bool


@dataclass(frozen=True, slots=True)
class Header:
    """The head of an ELF file with its program headers."""

    bits: int
    little: bool
    type: int
    machine: int
    flags: int
    segments: tuple[Segment, ...] = ()
    sections: tuple[int, int, int] = (0, 0, 0)

    def first(self, kind: int) -> Segment | None:
        """The first segment of a type."""
        return next((segment for segment in self.segments if segment.type == kind), None)

    def file_offset(self, address: int) -> int:
        """Where in the file an address lies, -1 where no segment holds it."""
        for segment in self.segments:
            if segment.type == LOAD and segment.address <= address < segment.address + segment.size:
                return address - segment.address + segment.offset
        return -1


@dataclass(frozen=True, slots=True)
class Dynamic:
    """The dynamic section: the libraries that are needed and where to look for them."""

    needed: tuple[int, ...] = ()
    soname: int = 0
    rpath: int = 0
    runpath: int = 0
    strings: int = 0
    strings_size: int = 0


def read_header(content: bytes) -> Header | None:
    """The header of a file that begins with these bytes; None for what is no ELF file or a broken one.

    Program headers that lie beyond the bytes are left out.
    """
    if len(content) < 52 or content[:4] != MAGIC or content[4] not in (1, 2) or content[5] not in (1, 2):
        return None
    wide, little = content[4] == 2, content[5] == 1
    if wide and len(content) < HEADER:
        return None
    order = "<" if little else ">"
    layout = order + ("HHIQQQIHHHHHH" if wide else "HHIIIIIHHHHHH")
    fields = struct.unpack_from(layout, content, 16)
    kind, machine, _, _, programs, sections, flags, _, entry_size, count, section_size, section_count, _ = fields
    segments = tuple(_segments(content, order, wide, (programs, entry_size, min(count, _MOST_HEADERS))))
    table = (sections, section_size, section_count)
    return Header(64 if wide else 32, little, kind, machine, flags, segments, table)


def _segments(content: bytes, order: str, wide: bool, table: tuple[int, int, int]) -> Iterator[Segment]:
    start, entry_size, count = table
    layout = struct.Struct(order + ("IIQQQQQQ" if wide else "IIIIIIII"))
    for number in range(count):
        offset = start + number * entry_size
        if entry_size < layout.size or offset + layout.size > len(content):
            return
        fields = layout.unpack_from(content, offset)
        if wide:
            kind, flags, position, address, _, size, _, _ = fields
        else:
            kind, position, address, _, size, _, flags, _ = fields
        yield Segment(kind, position, address, size, bool(flags & 2))


def read_dynamic(content: bytes, header: Header) -> Dynamic:
    """The dynamic section from its bytes; numbers of strings are offsets into the string table."""
    size = 16 if header.bits == 64 else 8
    layout = ("<" if header.little else ">") + ("qQ" if header.bits == 64 else "iI")
    values: dict[int, list[int]] = {}
    for position in range(0, min(len(content) - size + 1, _MOST_DYNAMIC * size), size):
        tag, value = struct.unpack_from(layout, content, position)
        if tag == 0:
            break
        values.setdefault(tag, []).append(value)

    def last(tag: int) -> int:
        return values.get(tag, [0])[-1]

    return Dynamic(
        needed=tuple(values.get(_NEEDED, ())[:_MOST_STRINGS]),
        soname=last(_SONAME),
        rpath=last(_RPATH),
        runpath=last(_RUNPATH),
        strings=header.file_offset(last(_STRING_TABLE)),
        strings_size=last(_STRING_SIZE),
    )


def string_at(content: bytes, offset: int = 0) -> str:
    """The zero-terminated string at an offset; empty where it does not end within the bytes or is too long."""
    if not 0 <= offset < len(content):
        return ""
    end = content.find(b"\0", offset, offset + _LONGEST_PATH)
    return content[offset:end].decode("utf-8", "replace") if end >= 0 else ""


def x86_level(content: bytes, header: Header) -> int:
    """The x86-64 level (1 to 4) that GNU property notes demand (psABI, ISA_1_NEEDED); 0 where they say nothing."""
    order = "<" if header.little else ">"
    align = 8 if header.bits == 64 else 4
    position, needed = 0, 0
    while position + 12 <= len(content):
        name_size, size, kind = struct.unpack_from(f"{order}III", content, position)
        start = position + 12 + _aligned(name_size, 4)
        if kind == _PROPERTY_TYPE and content[position + 12 : position + 16] == b"GNU\0":
            needed |= _isa_bits(content[start : start + size], order, align)
        position = start + _aligned(size, align)
    return needed.bit_length()


def _isa_bits(properties: bytes, order: str, align: int) -> int:
    position, bits = 0, 0
    while position + 8 <= len(properties):
        kind, size = struct.unpack_from(f"{order}II", properties, position)
        if kind == _X86_ISA_NEEDED and size >= 4 and position + 12 <= len(properties):
            bits |= struct.unpack_from(f"{order}I", properties, position + 8)[0] & 0xF
        position += 8 + _aligned(size, align)
    return bits


def _aligned(size: int, unit: int) -> int:
    return (size + unit - 1) // unit * unit
