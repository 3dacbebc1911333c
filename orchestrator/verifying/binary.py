"""What one ELF file inside a layer runs on and needs, read forward from a stream with bounded memory."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.core.platform import Platform
from orchestrator.verifying import elf
from orchestrator.verifying.gobuild import read_build_settings

Read = Callable[[int], bytes]
FIRST = 4096
_PREFIX, _NOTES, _DYNAMIC, _DATA, _TAIL = 10 << 20, 1 << 16, 1 << 16, 1 << 20, 1 << 16
_CHUNK = 1 << 18
_ATTRIBUTES, _TAG_CPU_ARCH = 0x70000003, 6
_ARM_ARCHITECTURES = {1: 4, 2: 4, 3: 5, 4: 5, 5: 5, 6: 6, 7: 6, 8: 6, 9: 6, 10: 7, 11: 6, 12: 6, 13: 7, 14: 8}
_FLOAT_TAGS = {0x400: "hard", 0x200: "soft"}
_TEXT_TAGS = frozenset({4, 5, 67})


@dataclass(frozen=True, slots=True)
class Binary:
    """An ELF file. `search` is the RUNPATH, or the RPATH where there is no RUNPATH.

    `level` is the x86-64 level that its notes demand (0: they say nothing), `arm` the ARM architecture number of its
    attributes (0: none), `go` the build settings that the Go linker wrote.
    """

    machine: int
    bits: int
    little: bool
    type: int
    flags: int = 0
    interpreter: str = ""
    needed: tuple[str, ...] = ()
    search: tuple[str, ...] = ()
    soname: str = ""
    level: int = 0
    arm: int = 0
    go: tuple[tuple[str, str], ...] = ()

    @property
    def architecture(self) -> str:
        """The name of its architecture as platforms call it, or a description where they have none."""
        return _NAMES.get((self.machine, self.bits, self.little)) or self._description()

    def _description(self) -> str:
        name = MACHINE_NAMES.get(self.machine, f"machine {self.machine}")
        return f"{name}, {self.bits}-bit {'little' if self.little else 'big'}-endian"

    @property
    def floats(self) -> str:
        """`hard` or `soft` where the flags of a 32-bit ARM file say so."""
        return _FLOAT_TAGS.get(self.flags & 0x600, "") if self.machine == elf.ARM else ""

    def suits(self, platform: Platform) -> bool:
        """Whether it is a file of that architecture: machine, word size and byte order (the kernel's own test)."""
        return self.architecture == platform.architecture

    def setting(self, key: str) -> str:
        """One of Go's build settings, such as GOAMD64; empty where there is none."""
        return dict(self.go).get(key, "")


_NAMES = {
    (elf.X86_64, 64, True): "amd64",
    (elf.I386, 32, True): "386",
    (elf.AARCH64, 64, True): "arm64",
    (elf.ARM, 32, True): "arm",
    (elf.S390, 64, False): "s390x",
    (elf.PPC64, 64, True): "ppc64le",
    (elf.PPC64, 64, False): "ppc64",
    (elf.RISCV, 64, True): "riscv64",
    (elf.MIPS, 64, True): "mips64le",
    (elf.MIPS, 64, False): "mips64",
    (elf.MIPS, 32, True): "mipsle",
    (elf.MIPS, 32, False): "mips",
    (elf.LOONGARCH, 64, True): "loong64",
}
MACHINE_NAMES = {
    elf.X86_64: "x86-64",
    elf.I386: "i386",
    elf.AARCH64: "aarch64",
    elf.ARM: "arm",
    elf.S390: "s390",
    elf.PPC64: "powerpc64",
    elf.RISCV: "riscv",
    elf.MIPS: "mips",
    elf.LOONGARCH: "loongarch",
}


class Forward:
    """A stream that is read once, forwards, keeping only the ranges that were asked for."""

    def __init__(self, read: Read, size: int) -> None:
        self._read = read
        self._position = 0
        self._kept: list[tuple[int, bytes]] = []
        self.size = size

    def keep(self, start: int, end: int) -> bytes:
        """Keep a range, as far as it lies ahead, and give its bytes."""
        self.read_to(start, end)
        return self.get(start, end)

    def read_to(self, start: int, end: int) -> None:
        """Keep a range, as far as it lies ahead."""
        begin, end = max(start, self._position), min(end, self.size)
        while self._position < begin < end:
            if not self._take(min(_CHUNK, begin - self._position)):
                return
        while begin <= self._position < end and (piece := self._take(min(_CHUNK, end - self._position))):
            self._kept.append((self._position - len(piece), piece))

    def get(self, start: int, end: int) -> bytes:
        """The bytes of a range, as far as they were kept without a gap."""
        found = b""
        for begin, content in self._kept:
            position = start + len(found)
            if begin <= position < min(begin + len(content), end):
                found += content[position - begin : end - begin]
        return found

    def _take(self, size: int) -> bytes:
        piece = self._read(size)
        self._position += len(piece)
        return piece


def read_binary(read: Read, size: int) -> Binary | None:
    """What an ELF file says of itself; None where the stream holds none. Reads no further than needed."""
    stream = Forward(read, size)
    header = elf.read_header(stream.keep(0, FIRST))
    if header is None:
        return None
    has_dynamic = header.first(elf.DYNAMIC) is not None
    stream.read_to(FIRST, _prefix(header, has_dynamic=has_dynamic))
    header = elf.read_header(stream.get(0, _NOTES)) or header
    dynamic, strings = _dynamic(stream, header)
    searched = elf.string_at(strings, dynamic.runpath) or elf.string_at(strings, dynamic.rpath)
    data = next((one for one in header.segments if one.type == elf.LOAD and one.writable), None)
    settings = read_build_settings(_data(stream, data)) if data else ()
    return Binary(
        machine=header.machine,
        bits=header.bits,
        little=header.little,
        type=header.type,
        flags=header.flags,
        interpreter=_interpreter(stream, header),
        needed=tuple(name for name in (elf.string_at(strings, one) for one in dynamic.needed) if name),
        search=tuple(part for part in searched.split(":") if part),
        soname=elf.string_at(strings, dynamic.soname) if dynamic.soname else "",
        level=_x86_level(stream, header),
        arm=_arm_architecture(stream, header),
        go=settings,
    )


def _prefix(header: elf.Header, *, has_dynamic: bool) -> int:
    """How much of the beginning is kept: notes and interpreter, and the string table of dynamic files."""
    ends = [one.offset + min(one.size, _NOTES) for one in header.segments if one.type in _EARLY]
    if has_dynamic:
        ends += [one.offset + one.size for one in header.segments if one.type == elf.LOAD][:1]
    return min(max(ends, default=0), _PREFIX)


_EARLY = frozenset({elf.INTERPRETER, elf.NOTE, elf.GNU_PROPERTY})


def _interpreter(stream: Forward, header: elf.Header) -> str:
    segment = header.first(elf.INTERPRETER)
    return elf.string_at(stream.get(segment.offset, segment.offset + min(segment.size, FIRST))) if segment else ""


def _x86_level(stream: Forward, header: elf.Header) -> int:
    if header.machine != elf.X86_64:
        return 0
    notes = [one for one in header.segments if one.type in (elf.NOTE, elf.GNU_PROPERTY)]
    contents = (stream.get(one.offset, one.offset + min(one.size, _NOTES)) for one in notes)
    return max((elf.x86_level(content, header) for content in contents), default=0)


def _dynamic(stream: Forward, header: elf.Header) -> tuple[elf.Dynamic, bytes]:
    segment = header.first(elf.DYNAMIC)
    if segment is None:
        return elf.Dynamic(), b""
    data = next((one for one in header.segments if one.type == elf.LOAD and one.writable), None)
    if data is not None and data.offset <= segment.offset:
        _data(stream, data)
    dynamic = elf.read_dynamic(stream.keep(segment.offset, segment.offset + min(segment.size, _DYNAMIC)), header)
    if dynamic.strings < 0:
        return elf.Dynamic(), b""
    end = dynamic.strings + min(dynamic.strings_size, _PREFIX)
    return dynamic, stream.get(dynamic.strings, end) or stream.keep(dynamic.strings, end)


def _data(stream: Forward, segment: elf.Segment) -> bytes:
    end = segment.offset + min(segment.size, _DATA)
    return stream.get(segment.offset, end) or stream.keep(segment.offset, end)


def _arm_architecture(stream: Forward, header: elf.Header) -> int:
    """The ARM architecture of a 32-bit ARM file, from the attributes near its end (ABI for the ARM architecture)."""
    if header.machine != elf.ARM or header.bits != 32:
        return 0
    start, entry_size, count = header.sections
    order = "<" if header.little else ">"
    tail = max(0, stream.size - _TAIL)
    stream.read_to(tail, stream.size)
    table = stream.get(start, start + entry_size * count)
    for position in range(0, len(table) - 39, max(entry_size, 40)):
        _, kind, _, _, offset, size = struct.unpack_from(f"{order}IIIIII", table, position)
        if kind == _ATTRIBUTES:
            return _cpu_architecture(stream.get(offset, offset + min(size, FIRST)))
    return 0


def _cpu_architecture(attributes: bytes) -> int:
    """Tag_CPU_arch of the first `aeabi` subsection: after `A`, a length, the vendor's name, a tag and a length."""
    if attributes[:1] != b"A" or attributes[5:11] != b"aeabi\0":
        return 0
    position = 16
    while position < len(attributes):
        tag, position = _uleb(attributes, position)
        if tag in _TEXT_TAGS or (tag > 32 and tag % 2 == 1):
            position = attributes.find(b"\0", position) + 1 or len(attributes)
            continue
        value, position = _uleb(attributes, position)
        if tag == _TAG_CPU_ARCH:
            return _ARM_ARCHITECTURES.get(value, 0)
    return 0


def _uleb(content: bytes, position: int) -> tuple[int, int]:
    value, shift = 0, 0
    while position < len(content) and shift < 64:
        byte = content[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    return value, position
