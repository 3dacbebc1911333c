"""The kernel's table of emulators (binfmt_misc): registering, breaking and removing entries."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lab.errors import LabError
from lab.process import run

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLE = Path("/proc/sys/fs/binfmt_misc")
GOOD_FLAGS = "POCF"  # keep argv[0], pass the open file, take its credentials, and open the interpreter at registration
NAME = "mabuild-lab-{}"
QEMU_NAMES = {"arm64": "aarch64", "amd64": "x86_64", "riscv64": "riscv64"}
MACHINES = {"arm64": 0xB7, "amd64": 0x3E, "riscv64": 0xF3}  # e_machine of the ELF header


@dataclass(frozen=True, slots=True)
class Registration:
    """One entry of the table, with all that is needed to write it again."""

    name: str
    interpreter: str
    flags: str
    magic: str
    mask: str
    offset: int = 0

    @property
    def works_in_containers(self) -> bool:
        return "F" in self.flags and "P" in self.flags

    def line(self) -> str:
        magic, mask = _escaped(self.magic), _escaped(self.mask)
        return f":{self.name}:M:{self.offset}:{magic}:{mask}:{self.interpreter}:{self.flags}"


def _escaped(digits: str) -> str:
    return "".join(f"\\x{digits[i : i + 2]}" for i in range(0, len(digits), 2))


def elf_pattern(architecture: str) -> tuple[str, str]:
    """Magic and mask, in hexadecimal, of an architecture's 64-bit little-endian ELF programs."""
    magic = "7f454c46" + "020101" + "00" * 9 + "0200" + MACHINES[architecture].to_bytes(2, "little").hex()
    mask = "ff" * 7 + "00" + "ff" * 8 + "feff" + "ffff"  # any OS ABI; ET_EXEC and ET_DYN differ in one bit
    return magic, mask


def parse_entry(name: str, text: str) -> Registration:
    """An entry as the kernel prints it."""
    values = dict(line.split(" ", 1) for line in text.splitlines() if " " in line)
    return Registration(
        name=name,
        interpreter=values.get("interpreter", ""),
        flags=values.get("flags:", "").strip(),
        magic=values.get("magic", ""),
        mask=values.get("mask", ""),
        offset=int(values.get("offset", "0")),
    )


def registrations(architecture: str, table: Path = TABLE) -> tuple[Registration, ...]:
    """The enabled entries that take programs of an architecture."""
    magic, _ = elf_pattern(architecture)
    entries = [entry for entry in sorted(table.glob("*")) if entry.name not in ("register", "status")]
    found = [parse_entry(entry.name, text) for entry in entries if (text := entry.read_text()).startswith("enabled")]
    return tuple(each for each in found if each.magic.endswith(magic[-4:]) and each.magic.startswith("7f454c46"))


def interpreter(architecture: str) -> str:
    """The path of a static qemu for programs of an architecture, empty if there is none."""
    name = f"qemu-{QEMU_NAMES[architecture]}"
    return shutil.which(f"{name}-static") or shutil.which(name) or ""


def ready(architecture: str) -> bool:
    return any(entry.works_in_containers for entry in registrations(architecture))


def register(architecture: str, flags: str = GOOD_FLAGS) -> None:
    """Add the lab's own entry, which the kernel asks before older ones; needs root."""
    mount_table()
    remove(architecture)
    magic, mask = elf_pattern(architecture)
    path = interpreter(architecture)
    if not path:
        raise LabError(f"no qemu for {architecture} is installed", hint="python3 -m lab up")
    _write(TABLE / "register", Registration(NAME.format(architecture), path, flags, magic, mask).line())


def remove(architecture: str) -> bool:
    """Take the lab's own entry away; whether there was one."""
    entry = TABLE / NAME.format(architecture)
    if not entry.exists():
        return False
    _write(entry, "-1")
    return True


def mount_table() -> None:
    if not (TABLE / "register").exists():
        run(["mount", "-t", "binfmt_misc", "binfmt_misc", str(TABLE)])


@contextmanager
def broken(architecture: str, flags: str = "OC") -> Iterator[None]:
    """For a while only an entry with these flags is there, or none with empty flags; then the machine's own again."""
    before = registrations(architecture)
    for entry in before:
        _write(TABLE / entry.name, "-1")
    try:
        if flags:
            register(architecture, flags)
        yield
    finally:
        remove(architecture)
        for entry in before:
            _write(TABLE / "register", entry.line())


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text)
    except OSError as error:
        raise LabError(
            f"the kernel did not take {text!r} in {file}: {error.strerror}", hint="this needs root"
        ) from None
