"""Makes small ELF files of any architecture that readers take for real ones: loader, libraries, notes, Go settings."""

from __future__ import annotations

import struct
from dataclasses import dataclass

MACHINES = {
    "amd64": (62, 64, "<"),
    "386": (3, 32, "<"),
    "arm64": (183, 64, "<"),
    "arm": (40, 32, "<"),
    "s390x": (22, 64, ">"),
    "ppc64le": (21, 64, "<"),
    "riscv64": (243, 64, "<"),
    "mips64le": (8, 64, "<"),
    "mips64": (8, 64, ">"),
    "loong64": (258, 64, "<"),
    "bpf": (247, 64, "<"),
    "amdgpu": (224, 64, "<"),
    "sparc": (2, 32, ">"),
}
LOADERS = {
    "amd64": "/lib64/ld-linux-x86-64.so.2",
    "arm64": "/lib/ld-linux-aarch64.so.1",
    "arm": "/lib/ld-linux-armhf.so.3",
    "s390x": "/lib/ld64.so.1",
    "riscv64": "/lib/ld-linux-riscv64-lp64d.so.1",
}
MUSL = {"amd64": "/lib/ld-musl-x86_64.so.1", "arm64": "/lib/ld-musl-aarch64.so.1"}
RELOCATABLE, EXECUTABLE, SHARED = 1, 2, 3
_PAGE = 0x1000


@dataclass(frozen=True)
class Elf:
    """What the file should say; `strings_last` puts the string table behind the dynamic section, as patchelf does."""

    architecture: str = "amd64"
    type: int = EXECUTABLE
    interpreter: str = ""
    needed: tuple[str, ...] = ()
    runpath: str = ""
    rpath: str = ""
    soname: str = ""
    level: int = 0
    go: tuple[tuple[str, str], ...] = ()
    arm: int = 0
    flags: int = 0
    padding: int = 0
    strings_last: bool = False

    def build(self) -> bytes:
        """The bytes of the file."""
        return _Builder(self).build()


class _Builder:
    def __init__(self, spec: Elf) -> None:
        self.spec = spec
        self.machine, self.bits, self.order = MACHINES[spec.architecture]
        self.wide = self.bits == 64

    def build(self) -> bytes:
        spec = self.spec
        is_dynamic = bool(spec.needed or spec.runpath or spec.rpath or spec.soname)
        kinds = [1, 1]
        kinds += [3] if spec.interpreter else []
        kinds += [4, 0x6474E553] if spec.level else []
        kinds += [2] if is_dynamic else []
        header_size, entry_size = (64, 56) if self.wide else (52, 32)
        start = header_size + entry_size * len(kinds)
        interp = spec.interpreter.encode() + b"\0" if spec.interpreter else b""
        note = self._note() if spec.level else b""
        strings, offsets = self._strings()
        note_at = -(-(start + len(interp)) // 8) * 8
        strings_at = note_at + len(note)
        first = b"" if spec.strings_last else strings
        data_at = -(-(strings_at + len(first) + spec.padding) // _PAGE) * _PAGE
        go = self._go()
        dynamic_at = data_at + -(-len(go) // 16) * 16
        size = (16 if self.wide else 8) * (len(spec.needed) + 6)
        if spec.strings_last:
            strings_at = dynamic_at + size
        dynamic = self._dynamic(offsets, strings_at, len(strings)).ljust(size, b"\0") if is_dynamic else b""
        tail = (go.ljust(dynamic_at - data_at, b"\0") + dynamic + (strings if spec.strings_last else b"")) or bytes(16)
        segments = {
            1: [(0, note_at + len(note) + len(first), 4), (data_at, len(tail), 6)],
            2: [(dynamic_at, len(dynamic), 6)],
            3: [(start, len(interp), 4)],
            4: [(note_at, len(note), 4)],
            0x6474E553: [(note_at, len(note), 4)],
        }
        programs = b"".join(self._program(kind, *segments[kind].pop(0)) for kind in kinds)
        head = programs + interp
        body = (head.ljust(note_at - header_size, b"\0") + note + first).ljust(data_at - header_size, b"\0") + tail
        sections, table_at, count = self._sections(header_size + len(body))
        return self._header(len(kinds), table_at, count) + body + sections

    def _header(self, programs: int, table_at: int, count: int) -> bytes:
        ident = b"\x7fELF" + bytes([2 if self.wide else 1, 1 if self.order == "<" else 2, 1]) + bytes(9)
        words = "QQQ" if self.wide else "III"
        sizes = (64, 56, programs, 64, count) if self.wide else (52, 32, programs, 40, count)
        fields = (
            self.spec.type,
            self.machine,
            1,
            0x1000,
            sizes[0],
            table_at,
            self.spec.flags,
            *sizes,
            max(count - 1, 0),
        )
        return ident + struct.pack(f"{self.order}HHI{words}IHHHHHH", *fields)

    def _program(self, kind: int, offset: int, size: int, flags: int) -> bytes:
        if self.wide:
            return struct.pack(f"{self.order}IIQQQQQQ", kind, flags, offset, offset, offset, size, size, 8)
        return struct.pack(f"{self.order}IIIIIIII", kind, offset, offset, offset, size, size, flags, 8)

    def _strings(self) -> tuple[bytes, dict[str, int]]:
        spec, table, offsets = self.spec, b"\0", {}
        for text in (*spec.needed, spec.runpath, spec.rpath, spec.soname):
            if text and text not in offsets:
                offsets[text] = len(table)
                table += text.encode() + b"\0"
        return (table, offsets) if offsets else (b"", {})

    def _dynamic(self, offsets: dict[str, int], at: int, size: int) -> bytes:
        spec = self.spec
        pairs = [(1, offsets[name]) for name in spec.needed]
        pairs += [(14, offsets[spec.soname])] if spec.soname else []
        pairs += [(15, offsets[spec.rpath])] if spec.rpath else []
        pairs += [(29, offsets[spec.runpath])] if spec.runpath else []
        pairs += [(5, at), (10, size)]
        layout = f"{self.order}{'QQ' if self.wide else 'II'}"
        return b"".join(struct.pack(layout, *pair) for pair in (*pairs, (0, 0)))

    def _note(self) -> bytes:
        bits = (1 << self.spec.level) - 1
        pad = 4 if self.wide else 0
        prop = struct.pack(f"{self.order}III", 0xC0008002, 4, bits) + bytes(pad)
        return struct.pack(f"{self.order}III", 4, len(prop), 5) + b"GNU\0" + prop

    def _go(self) -> bytes:
        if not self.spec.go:
            return b""
        lines = "path\texample\n" + "".join(f"build\t{key}={value}\n" for key, value in self.spec.go)
        module = bytes(range(16)) + lines.encode() + bytes(range(16))
        version = b"go1.22.1"
        return (b"\xff Go buildinf:\x08\x02").ljust(32, b"\0") + _varint(version) + _varint(module)

    def _sections(self, at: int) -> tuple[bytes, int, int]:
        if not self.spec.arm:
            return b"", 0, 0
        file_tags = bytes([5]) + b"7-A\0" + bytes([6, {6: 6, 7: 10, 8: 14}[self.spec.arm]])
        block = bytes([1]) + struct.pack("<I", len(file_tags) + 5) + file_tags
        vendor = b"aeabi\0" + block
        attributes = b"A" + struct.pack("<I", len(vendor) + 4) + vendor
        names = b"\0.ARM.attributes\0.shstrtab\0"
        content = attributes + names
        content = content.ljust(-(-len(content) // 4) * 4, b"\0")
        rows = [
            (0,) * 10,
            (1, 0x70000003, 0, 0, at, len(attributes), 0, 0, 1, 0),
            (17, 3, 0, 0, at + len(attributes), len(names), 0, 0, 1, 0),
        ]
        return content + b"".join(struct.pack("<10I", *row) for row in rows), at + len(content), 3


def _varint(content: bytes) -> bytes:
    size, out = len(content), bytearray()
    while size >= 0x80:
        out.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes([*out, size]) + content


def program(architecture: str, **fields: object) -> bytes:
    """A static program."""
    return Elf(architecture, **fields).build()  # type: ignore[arg-type]


def library(architecture: str, soname: str = "libx.so.1", **fields: object) -> bytes:
    """A shared library."""
    return Elf(architecture, SHARED, soname=soname, **fields).build()  # type: ignore[arg-type]
