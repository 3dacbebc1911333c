"""Emulators in the kernel (binfmt_misc): what is registered, what is wrong with it, and what mends it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from orchestrator.core.finding import Finding, Severity

BINFMT = Path("/proc/sys/fs/binfmt_misc")
_QEMU_NAMES = {"amd64": "x86_64", "386": "i386", "arm64": "aarch64", "loong64": "loongarch64", "mips64le": "mips64el"}


@dataclass(frozen=True, slots=True)
class ElfKind:
    """What tells ELF files of one architecture from others: class (1: 32 bits), encoding (2: big-endian), machine."""

    bits: int
    encoding: int
    machine: int


ELF_KINDS: Final = {
    "amd64": ElfKind(2, 1, 62),
    "386": ElfKind(1, 1, 3),
    "arm64": ElfKind(2, 1, 183),
    "arm": ElfKind(1, 1, 40),
    "riscv64": ElfKind(2, 1, 243),
    "ppc64le": ElfKind(2, 1, 21),
    "s390x": ElfKind(2, 2, 22),
    "loong64": ElfKind(2, 1, 258),
    "mips64le": ElfKind(2, 1, 8),
}


def byte_order(encoding: int) -> Literal["big", "little"]:
    """The byte order of an ELF file by its encoding."""
    return "big" if encoding == 2 else "little"


def qemu_name(architecture: str) -> str:
    """The name that qemu has for an architecture."""
    return _QEMU_NAMES.get(architecture, architecture)


@dataclass(frozen=True, slots=True)
class Registration:
    """An entry of binfmt_misc; `architecture` is empty where the magic is that of no known ELF file."""

    name: str
    enabled: bool
    interpreter: str
    flags: str
    architecture: str
    magic: bytes = b""
    mask: bytes = b""


def registrations(folder: Path = BINFMT) -> tuple[Registration, ...]:
    """All entries that are for ELF files; nothing where binfmt_misc is not mounted or not to be read.

    The kernel lists the newest first, and that is also the order in which it asks them.
    """
    found = []
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name in {"register", "status"}:
            continue
        try:
            entry = read_registration(path.name, path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            continue
        if entry.magic.startswith(b"\x7fELF"):
            found.append(entry)
    return tuple(found)


def read_registration(name: str, text: str) -> Registration:
    """An entry from its file in binfmt_misc."""
    first, *rest = text.splitlines() or [""]
    fields = dict(line.replace(":", "", 1).partition(" ")[::2] for line in rest)
    magic, mask = _hex(fields.get("magic", "")), _hex(fields.get("mask", ""))
    return Registration(
        name=name,
        enabled=first.strip() == "enabled",
        interpreter=fields.get("interpreter", ""),
        flags=fields.get("flags", "").strip(),
        architecture=_architecture(magic),
        magic=magic,
        mask=mask,
    )


def _architecture(magic: bytes) -> str:
    if len(magic) < 20:
        return ""
    found = ElfKind(magic[4], magic[5], int.from_bytes(magic[18:20], byte_order(magic[5])))
    return next((architecture for architecture, kind in ELF_KINDS.items() if kind == found), "")


def _hex(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


@dataclass(frozen=True, slots=True)
class EmulatorState:
    """Whether an architecture can be emulated here; `problem` and `mend` say what is wrong and what to do."""

    architecture: str
    registration: Registration | None
    problem: str = ""
    mend: str = ""

    @property
    def is_good(self) -> bool:
        """Whether it is registered so that builds work."""
        return self.registration is not None and not self.problem


def state(architecture: str, found: tuple[Registration, ...], exists: bool | None = None) -> EmulatorState:
    """What is known of the emulator of an architecture. `exists` stands for a look at the interpreter's file."""
    entries = [entry for entry in found if entry.architecture == architecture]
    if not entries:
        return EmulatorState(architecture, None, "no emulator is registered", _install(architecture))
    entry = next((entry for entry in entries if entry.enabled), entries[0])
    problem = _problem(entry, Path(entry.interpreter).exists() if exists is None else exists)
    return EmulatorState(architecture, entry, problem, _install(architecture) if problem else "")


def broken_emulator(node: str, found: EmulatorState) -> Finding:
    """A warning of an emulator that a node builds with and that is registered badly."""
    return Finding(
        rule="MN102",
        name="broken-emulator",
        severity=Severity.WARNING,
        message=f"node {node}, linux/{found.architecture}: {found.problem}",
        platform=f"linux/{found.architecture}",
        cause=found.mend,
    )


def _install(architecture: str) -> str:
    return f"mabuild nodes --install linux/{architecture}"


def _problem(entry: Registration, exists: bool) -> str:
    if not entry.enabled:
        return f"{entry.name} is registered but disabled"
    if "F" not in entry.flags:
        return (
            f"{entry.name} lacks the flag F: {entry.interpreter} is looked for inside each container, "
            "where it is not (exec format error, or no such file)"
        )
    if not exists:
        return f"{entry.interpreter} has been removed: it works until the machine starts anew"
    if "P" not in entry.flags:
        return f"{entry.name} lacks the flag P: programs do not see their own name, and busybox says applet not found"
    return ""
