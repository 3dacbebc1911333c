"""Registers an emulator so that builds work: with qemu of this machine, or by a pinned image through the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.buildx.builders import last_line
from orchestrator.buildx.emulators import (
    BINFMT,
    ELF_KINDS,
    EmulatorState,
    Registration,
    byte_order,
    qemu_name,
    registrations,
    state,
)
from orchestrator.buildx.process import run
from orchestrator.core.errors import UnreachableError, UsageError
from orchestrator.core.platform import Platform

BINFMT_IMAGE = "tonistiigi/binfmt:qemu-v10.2.3"
"""10.0 breaks tar of Ubuntu 24.04 under arm64 emulation (openat2, qemu-project/qemu#3262); 9.2 crashed on some hosts
(docker/setup-qemu-action#198). The tag is fixed, so that an update is somebody's decision."""
_PULL_SECONDS = 300.0
_FOLDERS = ("/usr/bin", "/usr/local/bin", "/usr/libexec/qemu-binfmt")
_FLAGS = "POCF"
_PROGRAM_INTERPRETER = 3


@dataclass(frozen=True, slots=True)
class Installed:
    """What was done for a platform, in words, and what is registered now."""

    platform: Platform
    done: str
    state: EmulatorState


def install(platform: Platform, environment: Mapping[str, str], folder: Path = BINFMT) -> Installed:
    """Register an emulator where none works; what works is left alone.

    UsageError where the platform cannot be emulated, UnreachableError where neither qemu nor the image can be had.
    """
    architecture = platform.architecture
    if platform.os != "linux" or architecture not in ELF_KINDS:
        raise UsageError(f"there is no emulator for {platform}", hint=f"there are: {', '.join(sorted(ELF_KINDS))}")
    before = state(architecture, registrations(folder))
    if before.is_good:
        return Installed(platform, "already registered", before)
    qemu = host_emulator(architecture)
    if qemu is not None and _may_register(folder):
        _replace(before.registration, qemu, architecture, folder)
        done = f"registered {qemu} with the flags {_FLAGS}"
    else:
        _by_image(architecture, environment)
        done = f"registered by {BINFMT_IMAGE}"
    after = state(architecture, registrations(folder))
    if after.registration is None or after.problem:
        raise UnreachableError(f"the emulator for {platform} was registered, but: {after.problem}", hint=after.mend)
    return Installed(platform, done, after)


def host_emulator(
    architecture: str, folders: tuple[str, ...] = _FOLDERS, is_static: Callable[[Path], bool] | None = None
) -> Path | None:
    """A static qemu of this machine for an architecture; one that needs libraries does not start in a container."""
    check = is_static or static_program
    for folder in folders:
        for suffix in ("-static", ""):
            path = Path(folder) / f"qemu-{qemu_name(architecture)}{suffix}"
            if path.is_file() and check(path):
                return path
    return None


def static_program(path: Path) -> bool:
    """Whether an ELF file of 64 bits names no program interpreter."""
    with path.open("rb") as stream:
        header = stream.read(64)
        if len(header) < 64 or not header.startswith(b"\x7fELF\x02"):
            return False
        order = byte_order(header[5])
        offset, size, count = (int.from_bytes(header[at:to], order) for at, to in ((32, 40), (54, 56), (56, 58)))
        stream.seek(offset)
        table = stream.read(size * min(count, 128))
    kinds = (int.from_bytes(table[at : at + 4], order) for at in range(0, len(table), max(size, 4)))
    return _PROGRAM_INTERPRETER not in kinds


def register_line(name: str, interpreter: str, architecture: str) -> str:
    """The line that registers an interpreter for the ELF files of an architecture (kernel, binfmt-misc.rst).

    The mask leaves out what differs between files of one architecture: the ABI bytes, and executable or shared.
    """
    kind = ELF_KINDS[architecture]
    order = byte_order(kind.encoding)
    head = b"\x7fELF" + bytes((kind.bits, kind.encoding, 1)) + bytes(9)
    magic = head + (2).to_bytes(2, order) + kind.machine.to_bytes(2, order)
    executable_or_shared = (0xFFFE).to_bytes(2, order)
    mask = b"\xff" * 7 + b"\x00" + b"\xff" * 8 + executable_or_shared + b"\xff\xff"
    return f":{name}:M::{_escaped(magic)}:{_escaped(mask)}:{interpreter}:{_FLAGS}"


def _escaped(content: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in content)


def _may_register(folder: Path) -> bool:
    try:
        with (folder / "register").open("wb"):
            return True
    except OSError:
        return False


def _replace(before: Registration | None, qemu: Path, architecture: str, folder: Path) -> None:
    name = before.name if before is not None else f"qemu-{qemu_name(architecture)}"
    try:
        if before is not None:
            (folder / name).write_bytes(b"-1")
        (folder / "register").write_bytes(register_line(name, str(qemu), architecture).encode())
    except OSError as error:
        raise UnreachableError(f"{qemu} cannot be registered in {folder}: {error.strerror}") from error


def _by_image(architecture: str, environment: Mapping[str, str]) -> None:
    argv = ("docker", "run", "--privileged", "--rm", BINFMT_IMAGE, "--install", architecture)
    done = run(argv, _PULL_SECONDS, environment=environment)
    if done.code:
        raise UnreachableError(
            f"no emulator for linux/{architecture}: this machine has no static qemu that could be registered, "
            f"and {BINFMT_IMAGE} did not help: {last_line(done.stderr)}",
            hint="install qemu-user-static (Debian 12, Ubuntu) or qemu-user (Debian 13), as root",
        )
