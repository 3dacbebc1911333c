"""Emulators: what a registration says, what is wrong with it, and how one is made."""

from __future__ import annotations

import platform
import shutil
from pathlib import Path

import pytest

from orchestrator.buildx.emulator_install import host_emulator, install, register_line, static_program
from orchestrator.buildx.emulators import ELF_KINDS, Registration, read_registration, registrations, state
from orchestrator.core.errors import UnreachableError, UsageError
from orchestrator.core.platform import LINUX_ARM64, Platform

_DEBIAN = """\
enabled
interpreter /usr/bin/qemu-aarch64-static
flags: POCF
offset 0
magic 7f454c460201010000000000000000000200b700
mask ffffffffffffff00fffffffffffffffffeffffff
"""


def _arm64(text: str = _DEBIAN) -> Registration:
    return read_registration("qemu-aarch64", text)


def _folder(path: Path, **entries: str) -> Path:
    for name, text in {"register": "", "status": "enabled\n", **entries}.items():
        (path / name).write_text(text)
    return path


def test_a_registration_is_read() -> None:
    entry = _arm64()
    assert entry == Registration(
        "qemu-aarch64",
        True,
        "/usr/bin/qemu-aarch64-static",
        "POCF",
        "arm64",
        bytes.fromhex("7f454c460201010000000000000000000200b700"),
        bytes.fromhex("ffffffffffffff00fffffffffffffffffeffffff"),
    )


def test_a_good_one_has_no_problem() -> None:
    found = state("arm64", (_arm64(),), exists=True)
    assert found.is_good
    assert found.mend == ""


@pytest.mark.parametrize(
    ("text", "exists", "problem"),
    [
        (_DEBIAN.replace("enabled", "disabled"), True, "registered but disabled"),
        (_DEBIAN.replace("POCF", "POC"), True, "lacks the flag F"),
        (_DEBIAN.replace("POCF", "OCF"), True, "lacks the flag P"),
        (_DEBIAN, False, "has been removed"),
    ],
)
def test_a_bad_one_is_told_with_the_command_that_mends_it(text: str, exists: bool, problem: str) -> None:
    found = state("arm64", (_arm64(text),), exists=exists)
    assert not found.is_good
    assert problem in found.problem
    assert found.mend == "mabuild nodes --install linux/arm64"


def test_a_missing_one_is_told_as_well() -> None:
    found = state("s390x", (_arm64(),), exists=True)
    assert (found.registration, found.problem) == (None, "no emulator is registered")


def test_of_several_the_newest_that_is_enabled_counts() -> None:
    off = _arm64(_DEBIAN.replace("enabled", "disabled"))
    bad = _arm64(_DEBIAN.replace("POCF", "OC"))
    assert state("arm64", (off, _arm64(), bad), exists=True).is_good
    assert "lacks the flag F" in state("arm64", (off, bad, _arm64()), exists=True).problem


def test_only_entries_for_elf_files_count(tmp_path: Path) -> None:
    python = "enabled\ninterpreter /usr/bin/python3\nflags: \noffset 0\nmagic cb0d0d0a\n"
    folder = _folder(tmp_path, **{"qemu-aarch64": _DEBIAN, "python3": python, "odd": "what"})
    assert [entry.name for entry in registrations(folder)] == ["qemu-aarch64"]
    assert registrations(tmp_path / "nowhere") == ()


def test_the_line_for_arm64_is_the_one_that_debian_registers() -> None:
    line = register_line("qemu-aarch64", "/usr/bin/qemu-aarch64-static", "arm64")
    _, name, kind, offset, magic, mask, interpreter, flags = line.split(":")
    assert (name, kind, offset, interpreter, flags) == (
        "qemu-aarch64",
        "M",
        "",
        "/usr/bin/qemu-aarch64-static",
        "POCF",
    )
    assert magic.replace("\\x", "") == _arm64().magic.hex()
    assert mask.replace("\\x", "") == _arm64().mask.hex()


@pytest.mark.parametrize("architecture", sorted(ELF_KINDS))
def test_what_is_registered_is_recognised_again(architecture: str) -> None:
    *_, magic, mask, interpreter, flags = register_line("x", "/qemu", architecture).split(":")
    text = f"enabled\ninterpreter {interpreter}\nflags: {flags}\noffset 0\nmagic {magic}\nmask {mask}\n"
    entry = read_registration("x", text.replace("\\x", ""))
    assert entry.architecture == architecture
    assert len(entry.magic) == len(entry.mask) == 20


def test_what_works_is_left_alone(tmp_path: Path) -> None:
    text = _DEBIAN.replace("/usr/bin/qemu-aarch64-static", "/proc/self/exe")
    folder = _folder(tmp_path, **{"qemu-aarch64": text})
    done = install(LINUX_ARM64, {}, folder)
    assert done.done == "already registered"
    assert (folder / "register").read_text() == ""


def test_a_bad_one_is_taken_out_and_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = _folder(tmp_path, **{"my-arm64": _DEBIAN.replace("POCF", "OCF")})
    monkeypatch.setattr(
        "orchestrator.buildx.emulator_install.host_emulator", lambda _: Path("/usr/bin/qemu-aarch64-static")
    )
    with pytest.raises(UnreachableError, match="no emulator is registered"):
        install(LINUX_ARM64, {}, folder)
    assert (folder / "my-arm64").read_text() == "-1"
    assert (folder / "register").read_text() == register_line("my-arm64", "/usr/bin/qemu-aarch64-static", "arm64")


def test_what_nobody_can_emulate_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        install(Platform("windows", "amd64"), {})
    assert "arm64" in caught.value.hint


def test_a_program_that_needs_libraries_is_no_emulator_for_containers(tmp_path: Path) -> None:
    assert not static_program(Path(shutil.which("env") or ""))
    text = tmp_path / "qemu-aarch64"
    text.write_text("#!/bin/sh\n")
    assert not static_program(text)
    assert host_emulator("arm64", (str(tmp_path),)) is None
    assert host_emulator("arm64", (str(tmp_path),), lambda _: True) == text


@pytest.mark.real
def test_the_machines_own_emulator_is_static_and_registered_well() -> None:
    other = "arm64" if platform.machine() == "x86_64" else "amd64"
    found = state(other, registrations())
    assert found.is_good, found.problem
