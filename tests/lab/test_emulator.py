"""Reading and writing entries of the kernel's table of emulators."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab import emulator
from lab.emulator import Registration, elf_pattern, parse_entry, registrations

ARM64 = """\
enabled
interpreter /usr/libexec/qemu-binfmt/aarch64-binfmt-P
flags: POF
offset 0
magic 7f454c460201010000000000000000000200b700
mask ffffffffffffff00fffffffffffffffffeffffff
"""


def test_an_entry_is_read_and_written_again() -> None:
    entry = parse_entry("qemu-aarch64", ARM64)
    magic, mask = elf_pattern("arm64")
    assert (entry.magic, entry.mask) == (magic, mask)
    assert entry.works_in_containers
    assert entry.line() == (
        r":qemu-aarch64:M:0:\x7f\x45\x4c\x46\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
        r":\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
        ":/usr/libexec/qemu-binfmt/aarch64-binfmt-P:POF"
    )


@pytest.mark.parametrize(
    ("flags", "works"), [("POCF", True), ("PF", True), ("OCF", False), ("POC", False), ("", False)]
)
def test_what_works_in_containers(flags: str, works: bool) -> None:
    assert Registration("name", "/usr/bin/qemu", flags, *elf_pattern("arm64")).works_in_containers is works


def test_only_enabled_entries_of_the_architecture_count(tmp_path: Path) -> None:
    (tmp_path / "register").write_text("")
    (tmp_path / "status").write_text("enabled\n")
    (tmp_path / "good").write_text(ARM64)
    (tmp_path / "off").write_text(ARM64.replace("enabled", "disabled"))
    (tmp_path / "x86").write_text(ARM64.replace("b700", "3e00"))
    (tmp_path / "jar").write_text("enabled\ninterpreter /usr/bin/jexec\nflags: \noffset 0\nmagic 504b0304\n")
    (tmp_path / "python").write_text("enabled\ninterpreter /usr/bin/python3\nflags: \nextension .pyc\n")
    assert [entry.name for entry in registrations("arm64", tmp_path)] == ["good"]
    assert [entry.name for entry in registrations("amd64", tmp_path)] == ["x86"]


@pytest.mark.real
@pytest.mark.parametrize("flags", ["OC", ""])
def test_a_registration_is_broken_for_a_while(flags: str) -> None:
    """With an architecture that no other test uses, for the table is the whole machine's."""
    architecture = "riscv64"
    before = registrations(architecture)
    with emulator.broken(architecture, flags):
        now = registrations(architecture)
        assert {entry.flags for entry in now} == ({flags} if flags else set())
        assert not emulator.ready(architecture)
    assert registrations(architecture) == before
