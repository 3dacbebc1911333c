"""Files of other architectures that are meant to be in an image: emulators, firmware, test data and the like.

The list follows what distributions exempt in the same check (lintian, Buildroot, OpenEmbedded) and what language
package managers install. A manifest adds to it with `verify.ignore`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from orchestrator.verifying import elf
from orchestrator.verifying.architecture_names import named
from orchestrator.verifying.binary import MACHINE_NAMES, Binary
from orchestrator.verifying.filesystem import FileMap
from orchestrator.verifying.globs import matches

EXEMPT_PATHS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (
        "emulator",
        ("**/qemu-*-static", "usr/libexec/qemu-binfmt/**", "usr/share/qemu/**"),
    ),
    (
        "boot loader",
        (
            "boot/**",
            "usr/lib/grub/**",
            "usr/lib/syslinux/**",
            "usr/share/syslinux/**",
            "usr/lib/ipxe/**",
            "usr/lib/shim/**",
            "usr/share/seabios/**",
            "usr/share/ovmf/**",
            "usr/share/edk2/**",
        ),
    ),
    ("firmware", ("lib/firmware/**", "usr/lib/firmware/**", "usr/share/firmware/**")),
    ("kernel module", ("lib/modules/**", "usr/lib/modules/**")),
    ("debug information", ("usr/lib/debug/**", "**/*.debug")),
    ("compiled Scheme", ("usr/lib/guile/**", "usr/lib/*/guile/**")),
    (
        "test data",
        (
            "**/testdata/**",
            "**/test-data/**",
            "**/test_data/**",
            "**/fixtures/**",
            "**/site-packages/**/tests/**",
            "**/dist-packages/**/tests/**",
            "**/node_modules/**/test/**",
            "**/node_modules/**/tests/**",
        ),
    ),
    (
        "cross toolchain",
        (
            "usr/*-linux-gnu*/**",
            "usr/lib/gcc-cross/**",
            "**/sysroot/**",
            "**/sysroots/**",
            "usr/lib/llvm*/lib/clang/**",
        ),
    ),
)
_OTHER_SYSTEM = re.compile(r"(?<![a-z0-9])(?:freebsd|netbsd|openbsd|android|sunos|illumos|openharmony)(?![a-z])")
_PREBUILDS = ("**/prebuilds/**", "**/prebuilt/**", "**/prebuilt-*/**", "**/prebuilt_*/**")
_NARROWER = {"amd64": "386"}


def reason_to_exempt(path: str, binary: Binary, architecture: str) -> str:
    """Why a file of another architecture may be there; empty where nothing speaks for it."""
    if binary.machine not in MACHINE_NAMES or binary.machine == elf.BPF:
        return "code for another processor (GPU, BPF, firmware)"
    if binary.type in (elf.RELOCATABLE, elf.CORE):
        return "object file"
    if _NARROWER.get(architecture) == binary.architecture:
        return f"{binary.architecture} program, which runs on {architecture} too"
    for reason, globs in EXEMPT_PATHS:
        if matches(path, globs):
            return reason
    if any(_OTHER_SYSTEM.search(part) and named(part) for part in path.lower().split("/")):
        return "file for another operating system"
    return ""


def is_prebuilt(path: str) -> bool:
    """Whether a path is where packages keep files for several platforms to choose from."""
    return matches(path, _PREBUILDS)


class Siblings:
    """Which folders hold something that names an architecture, such as `linux-arm64` beside `linux-x64`."""

    def __init__(self, files: FileMap) -> None:
        self._known = {
            (folder, architecture)
            for path in files.paths()
            for folder, part in _parts(path)
            for architecture in named(part)
        }

    def has_right_one(self, path: str, own: str, wanted: str) -> bool:
        """Whether a file that says it is for one architecture lies beside one for the wanted architecture."""
        return any(own in named(part) and (folder, wanted) in self._known for folder, part in _parts(path))


def _parts(path: str) -> Iterator[tuple[str, str]]:
    """Every part of a path with the folder that it lies in."""
    folder = ""
    for part in path.split("/"):
        yield folder, part
        folder = f"{folder}/{part}"
