"""The probes' executables: their bytes, their architecture, their source, and what they answer on this machine."""

from __future__ import annotations

import hashlib
import os
import platform
import struct
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from orchestrator.buildx.emulators import ELF_KINDS
from orchestrator.buildx.probe import LOOP_RESULT, PROBES, Answer, can_probe, read_answer
from orchestrator.core.platform import Platform
from tests.buildx.assemble import TOOLCHAINS, assemble, executable

_BYTES = {
    "386": "4e12de7ec3517e6046f09ee7a6f30126f247675dddcd395ae1a7fb0c75f1d24e",
    "amd64": "f07ebe7a7e92784b23a54879c619c6966306e47b4a5d5fd82fb1d17a69df9e1e",
    "arm": "60501d6cbb6c7aa54bd5edf40621619cac0a4a10ffa4869f5898ce07a95046e0",
    "arm64": "4318e2cc54e3bba6addfac5a589a54ae0a822d64c0554db428e8af6b4febe5ac",
    "ppc64le": "040d3f90d163042d1ff50fc720e7cd6bd5ddd89fa79050ba2a77bb938f920fff",
    "riscv64": "32c13f76cee50d3a37cc1e59a992b82b43940d9d0b3c2711b15f992c5ae8dd97",
    "s390x": "62115c14ff832929a8885138baff2dd732a39001a2e7a279437ccc67df02251e",
}
_HERE = {"x86_64": "amd64", "aarch64": "arm64"}


@pytest.mark.parametrize("architecture", sorted(_BYTES))
def test_the_bytes_are_those_that_were_reviewed(architecture: str) -> None:
    content = executable(architecture).read_bytes()
    assert hashlib.sha256(content).hexdigest() == _BYTES[architecture]
    assert len(content) < 1024


@pytest.mark.parametrize("architecture", sorted(_BYTES))
def test_the_file_is_a_static_executable_of_its_architecture(architecture: str) -> None:
    with executable(architecture).open("rb") as stream:
        elf = ELFFile(stream)
        kind = ELF_KINDS[architecture]
        assert (elf.elfclass, elf.little_endian) == (32 * kind.bits, kind.encoding == 1)
        assert elf.header["e_type"] == "ET_EXEC"
        assert struct.unpack(f"{'<' if elf.little_endian else '>'}H", executable(architecture).read_bytes()[18:20]) == (
            kind.machine,
        )
        assert [segment.header["p_type"] for segment in elf.iter_segments()] == ["PT_LOAD"]


@pytest.mark.parametrize("architecture", [name for name, tools in TOOLCHAINS.items() if tools.exists])
def test_the_source_gives_these_bytes(architecture: str) -> None:
    assert assemble(architecture) == executable(architecture).read_bytes()


def test_every_probe_has_a_source_and_a_known_hash() -> None:
    names = {path.name.removeprefix("probe-") for path in PROBES.glob("probe-*")}
    assert names == set(_BYTES) == set(TOOLCHAINS) == {path.stem for path in PROBES.glob("*.s")}


def test_on_this_machine_the_probe_says_what_the_kernel_is(tmp_path: Path) -> None:
    architecture = _HERE[platform.machine()]
    program = tmp_path / "probe"
    program.write_bytes(executable(architecture).read_bytes())
    program.chmod(0o755)
    folder = tmp_path / "answer"
    folder.mkdir()
    environment = {"BUILDPLATFORM": f"linux/{architecture}"}
    subprocess.run([str(program)], cwd=folder, check=True, env=environment)
    answer = read_answer(folder, architecture)
    assert answer.error == ""
    assert answer.builder == f"linux/{architecture}"
    assert answer.boot == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert answer.program == str(program)
    assert answer.kernel in {os.uname().machine, ""}
    assert 0.001 < answer.seconds < 5.0


@pytest.mark.parametrize(
    ("content", "architecture"),
    [
        (struct.pack("<4qI", 5, 900_000_000, 6, 100_000_000, LOOP_RESULT), "arm64"),
        (struct.pack("<4iI", 5, 900_000_000, 6, 100_000_000, LOOP_RESULT), "arm"),
        (struct.pack(">4qI", 5, 900_000_000, 6, 100_000_000, LOOP_RESULT), "s390x"),
    ],
)
def test_times_are_read_in_the_form_of_the_architecture(tmp_path: Path, content: bytes, architecture: str) -> None:
    (tmp_path / "clock").write_bytes(content)
    assert read_answer(tmp_path, architecture).seconds == pytest.approx(0.2)


@pytest.mark.parametrize("content", [b"", b"x", struct.pack("<4qI", 1, 0, 2, 0, LOOP_RESULT + 1)])
def test_an_answer_that_cannot_be_is_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "clock").write_bytes(content)
    assert read_answer(tmp_path, "amd64").error.startswith("the probe's loop gave")


def test_links_in_the_answer_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    folder = tmp_path / "answer"
    folder.mkdir()
    (folder / "clock").write_bytes(struct.pack("<4qI", 0, 0, 1, 0, LOOP_RESULT))
    (folder / "arch").symlink_to(secret)
    assert read_answer(folder, "amd64") == Answer("amd64", seconds=1.0)


def test_what_can_be_probed() -> None:
    assert can_probe(Platform.parse("linux/arm/v6"))
    assert not can_probe(Platform.parse("linux/loong64"))
    assert not can_probe(Platform.parse("windows/amd64"))
