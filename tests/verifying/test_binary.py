"""The ELF reader against what was built, against pyelftools, and against bytes that are made to break it."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.platform import Platform
from orchestrator.verifying.binary import Binary, Forward, read_binary
from tests.verifying.binaries import LOADERS, MACHINES, Elf

PLATFORMS = ["amd64", "386", "arm64", "arm", "s390x", "ppc64le", "riscv64", "mips64le", "mips64", "loong64"]
FULL = Elf(
    "arm64",
    interpreter=LOADERS["arm64"],
    needed=("libc.so.6", "libm.so.6"),
    runpath="$ORIGIN/../lib:/opt/lib",
    go=(("GOARCH", "arm64"), ("GOARM64", "v9.0"), ("-ldflags", "secret")),
)


def read(content: bytes) -> Binary | None:
    return read_binary(io.BytesIO(content).read, len(content))


def read_well(content: bytes) -> Binary:
    binary = read(content)
    assert binary is not None
    return binary


@pytest.mark.parametrize("architecture", PLATFORMS)
def test_every_architecture_is_told_by_machine_size_and_order(architecture: str) -> None:
    binary = read_well(Elf(architecture).build())
    assert binary.architecture == architecture
    for other in PLATFORMS:
        assert binary.suits(Platform("linux", other)) is (other == architecture)


def test_x32_is_no_amd64() -> None:
    content = bytearray(Elf("386").build())
    content[18] = 62
    assert read_well(bytes(content)).architecture == "x86-64, 32-bit little-endian"


@pytest.mark.parametrize("strings_last", [False, True])
@pytest.mark.parametrize("architecture", ["amd64", "arm64", "arm", "s390x"])
def test_loader_libraries_and_search_path(architecture: str, strings_last: bool) -> None:
    needed = ("libc.so.6", "libssl.so.3")
    spec = Elf(architecture, interpreter="/lib/ld.so", needed=needed, runpath="/a:/b", strings_last=strings_last)
    binary = read_well(spec.build())
    assert (binary.interpreter, binary.needed, binary.search) == ("/lib/ld.so", needed, ("/a", "/b"))


def test_rpath_counts_where_there_is_no_runpath() -> None:
    assert read_well(Elf(needed=("a",), rpath="/r").build()).search == ("/r",)
    assert read_well(Elf(needed=("a",), rpath="/r", runpath="/q").build()).search == ("/q",)


def test_a_string_table_far_behind_the_beginning() -> None:
    spec = Elf(needed=("libc.so.6",), padding=300_000, strings_last=True)
    assert read_well(spec.build()).needed == ("libc.so.6",)


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_instruction_set_level_of_notes(level: int) -> None:
    assert read_well(Elf(level=level).build()).level == level


def test_go_settings_and_nothing_else_of_them() -> None:
    binary = read_well(FULL.build())
    assert dict(binary.go) == {"GOARCH": "arm64", "GOARM64": "v9.0"}
    assert binary.setting("GOAMD64") == ""


@pytest.mark.parametrize("number", [6, 7, 8])
def test_arm_architecture_of_attributes(number: int) -> None:
    assert read_well(Elf("arm", arm=number).build()).arm == number


def test_arm_float_flags() -> None:
    assert read_well(Elf("arm", flags=0x5000400).build()).floats == "hard"
    assert read_well(Elf("arm", flags=0x5000200).build()).floats == "soft"
    assert read_well(Elf("arm64", flags=0x400).build()).floats == ""


@pytest.mark.parametrize("architecture", MACHINES)
def test_pyelftools_reads_the_same(architecture: str) -> None:
    spec = Elf(architecture, interpreter="/lib/ld", needed=("liba.so", "libb.so"), soname="me.so", level=2)
    content = spec.build()
    oracle: Any = ELFFile(io.BytesIO(content))
    binary = read_well(content)
    dynamic = next(segment for segment in oracle.iter_segments() if segment["p_type"] == "PT_DYNAMIC")
    interp = next(segment for segment in oracle.iter_segments() if segment["p_type"] == "PT_INTERP")
    assert binary.bits == oracle.elfclass
    assert binary.little is oracle.little_endian
    assert (
        binary.machine
        == content[18 if oracle.little_endian else 19] + 256 * content[19 if oracle.little_endian else 18]
    )
    assert binary.interpreter == interp.get_interp_name()
    assert list(binary.needed) == [tag.needed for tag in dynamic.iter_tags("DT_NEEDED")]
    assert binary.soname == next(tag.soname for tag in dynamic.iter_tags("DT_SONAME"))


def system_binaries() -> list[Path]:
    folders = [Path("/usr/bin"), Path("/usr/lib/x86_64-linux-gnu"), Path("/usr/lib/aarch64-linux-gnu")]
    paths = [path for folder in folders if folder.is_dir() for path in sorted(folder.iterdir())]
    files = [path for path in paths if path.is_file() and not path.is_symlink() and path.stat().st_size < 8 << 20]
    return [path for path in files[::20] if path.read_bytes()[:4] == b"\x7fELF"]


def test_pyelftools_reads_the_same_of_this_machines_programs() -> None:
    paths = system_binaries()
    assert paths, "a machine without programs"
    for path in paths:
        content = path.read_bytes()
        oracle: Any = ELFFile(io.BytesIO(content))
        segments = list(oracle.iter_segments())
        dynamic = [segment for segment in segments if segment["p_type"] == "PT_DYNAMIC"]
        needed = [tag.needed for segment in dynamic for tag in segment.iter_tags("DT_NEEDED")]
        interp = [segment.get_interp_name() for segment in segments if segment["p_type"] == "PT_INTERP"]
        binary = read_well(content)
        assert list(binary.needed) == needed, path
        assert [binary.interpreter] == (interp or [""]), path


def test_what_is_no_elf_file() -> None:
    assert read(b"") is None
    assert read(b"\x7fELF") is None
    assert read(b"MZ" + bytes(100)) is None
    assert read(b"\x7fELF\x03\x01" + bytes(100)) is None


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 40), st.sampled_from(["amd64", "arm", "s390x"]))
def test_damaged_files_never_raise(seed: int, flips: int, architecture: str) -> None:
    content = bytearray(Elf(architecture, interpreter="/l", needed=("a", "b"), level=1, go=FULL.go).build())
    content += Elf("arm", arm=7).build()
    chance = random.Random(seed)
    for _ in range(flips):
        content[chance.randrange(4, len(content) if chance.random() < 0.3 else 300)] = chance.randrange(256)
    read(bytes(content))
    read(bytes(content[: chance.randrange(len(content))]))


def test_memory_is_bounded_whatever_the_headers_say() -> None:
    content = bytearray(FULL.build())
    for position in range(64, 64 + 56 * 4, 56):
        content[position + 32 : position + 40] = (1 << 40).to_bytes(8, "little")
    served = 0

    def endless(size: int) -> bytes:
        nonlocal served
        piece = bytes(content[served : served + size]).ljust(min(size, 1 << 20), b"\0")
        served += len(piece)
        return piece

    read_binary(endless, 1 << 40)
    assert served < 64 << 20


def test_forward_keeps_ranges_and_skips_gaps() -> None:
    content = bytes(range(256)) * 20
    reader: Callable[[int], bytes] = io.BytesIO(content).read
    stream = Forward(reader, len(content))
    assert stream.keep(0, 10) == content[:10]
    assert stream.keep(100, 120) == content[100:120]
    assert stream.keep(110, 130) == content[110:130]
    assert stream.get(105, 130) == content[105:130]
    assert stream.get(20, 30) == b""
    assert stream.keep(5000, 9999) == content[5000:]
