"""The authoritative answer of what a node is: a build from nothing that looks at the kernel and runs a timed loop.

The image holds one static executable of a few hundred bytes (`probes/`), so that nothing is pulled from anywhere.
"""

from __future__ import annotations

import re
import struct
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.buildx.builders import last_line
from orchestrator.buildx.process import run
from orchestrator.core.platform import Platform

PROBES = Path(__file__).parent / "probes"
LOOP_RESULT = 0x2663A5A1
_PROCESSOR_FIELDS = ("model name", "vendor_id", "CPU implementer", "CPU part")
_BIG_ENDIAN = frozenset({"s390x"})
_LARGEST = 64 * 1024
NO_EMULATOR = "exec format error"
NO_INTERPRETER = "no such file or directory"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a probe found on a node for one architecture; `error` says why there is no answer.

    `kernel` is the architecture that the kernel gives in /proc/sys/kernel/arch (Linux 6.1 and later; no emulator
    fakes it), `program` the executable that really runs (an emulator, where there is one), `builder` what Dockerfiles
    see as BUILDPLATFORM. `seconds` is the processor time of the loop, 0.0 where it was not measured.
    """

    architecture: str
    kernel: str = ""
    program: str = ""
    builder: str = ""
    boot: str = ""
    processor: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0
    error: str = ""

    @property
    def is_decisive(self) -> bool:
        """Whether the kernel had its say; what else goes wrong with a probe proves nothing."""
        return self.error in {"", NO_EMULATOR, NO_INTERPRETER}

    def processor_field(self, name: str) -> str:
        """A field of /proc/cpuinfo as the probe saw it."""
        return dict(self.processor).get(name, "")


def can_probe(platform: Platform) -> bool:
    """Whether there is a probe for a platform."""
    return platform.os == "linux" and (PROBES / f"probe-{platform.architecture}").is_file()


def probe(builder: str, platform: Platform, environment: Mapping[str, str], timeout: float) -> Answer:
    """Build the probe for a platform on a builder's node. UnreachableError where docker is missing or too slow."""
    with tempfile.TemporaryDirectory(prefix="mabuild-probe-") as folder:
        argv = (
            *("docker", "buildx", "build", "--builder", builder, "--platform", str(platform)),
            *("--no-cache", "--provenance=false", "--sbom=false", "--progress=plain"),
            *("--output", f"type=local,dest={folder}", str(PROBES)),
        )
        done = run(argv, timeout, environment=environment)
        if done.code:
            return Answer(platform.architecture, error=_why(done.stderr))
        return read_answer(Path(folder), platform.architecture)


def _why(log: str) -> str:
    """The kernel's or runc's own words where the probe did not start, else BuildKit's last ones."""
    started = re.search(r"exec:? \"?/probe\"?: ([a-z ]+)", log)
    return started.group(1) if started else last_line(log)


def read_answer(folder: Path, architecture: str) -> Answer:
    """The answer that a probe left in a folder."""
    variables = dict(part.partition("=")[::2] for part in _text(folder / "environ").split("\0"))
    seconds, result = _clock(_bytes(folder / "clock"), architecture)
    if result != LOOP_RESULT:
        return Answer(architecture, error=f"the probe's loop gave {result:#x} and not {LOOP_RESULT:#x}")
    return Answer(
        architecture=architecture,
        kernel=_text(folder / "arch").strip(),
        program=_text(folder / "exe"),
        builder=variables.get("BUILDPLATFORM", ""),
        boot=_text(folder / "boot_id").strip(),
        processor=_processor(_text(folder / "cpuinfo")),
        seconds=seconds,
    )


def _clock(content: bytes, architecture: str) -> tuple[float, int]:
    """Seconds between the two times, and the result of the loop; times are of 32 bits on 32-bit architectures."""
    order = ">" if architecture in _BIG_ENDIAN else "<"
    layout = f"{order}4qI" if len(content) == 36 else f"{order}4iI"
    if len(content) != struct.calcsize(layout):
        return 0.0, 0
    start, start_rest, end, end_rest, result = struct.unpack(layout, content)
    return (end - start) + (end_rest - start_rest) / 1e9, result


def _processor(text: str) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for line in text.splitlines():
        key, separator, value = line.partition(":")
        if separator and key.strip() in _PROCESSOR_FIELDS:
            found.setdefault(key.strip(), value.strip())
    return tuple(found.items())


def _text(path: Path) -> str:
    return _bytes(path).decode(errors="replace")


def _bytes(path: Path) -> bytes:
    """A small file that an untrusted node sent; links and anything but plain files count as missing."""
    if path.is_symlink() or not path.is_file():
        return b""
    with path.open("rb") as stream:
        return stream.read(_LARGEST)
