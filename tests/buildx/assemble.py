"""Makes the probes' executables from their sources: `python -m tests.buildx.assemble` writes those that differ."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from orchestrator.buildx.probe import PROBES


@dataclass(frozen=True)
class Toolchain:
    """GNU binutils for one architecture; packages of Debian are named `binutils-` and the prefix."""

    prefix: str
    assembler: tuple[str, ...] = ()
    linker: tuple[str, ...] = ()

    @property
    def exists(self) -> bool:
        """Whether it is installed."""
        return all(shutil.which(f"{self.prefix}{tool}") for tool in ("as", "ld", "objcopy"))


TOOLCHAINS = {
    "amd64": Toolchain("x86_64-linux-gnu-", ("--64",)),
    "386": Toolchain("x86_64-linux-gnu-", ("--32",), ("-m", "elf_i386")),
    "arm64": Toolchain("aarch64-linux-gnu-"),
    "arm": Toolchain("arm-linux-gnueabihf-"),
    "riscv64": Toolchain("riscv64-linux-gnu-"),
    "ppc64le": Toolchain("powerpc64le-linux-gnu-"),
    "s390x": Toolchain("s390x-linux-gnu-"),
}


def executable(architecture: str) -> Path:
    """The file in the package."""
    return PROBES / f"probe-{architecture}"


def assemble(architecture: str) -> bytes:
    """The executable of an architecture, made anew. The ELF header is in the source, so only code is linked."""
    tools = TOOLCHAINS[architecture]
    with tempfile.TemporaryDirectory() as folder:
        parts, linked, flat = (str(Path(folder) / name) for name in ("probe.o", "probe.elf", "probe"))
        source = f"{architecture}.s"
        _run(f"{tools.prefix}as", *tools.assembler, "-o", parts, source)
        options = ("-N", "--no-warn-rwx-segments", "-Ttext=0x400000", "-e", "0x400000")
        _run(f"{tools.prefix}ld", *tools.linker, *options, "-o", linked, parts)
        _run(f"{tools.prefix}objcopy", "-O", "binary", "-j", ".text", linked, flat)
        return Path(flat).read_bytes()


def _run(*argv: str) -> None:
    subprocess.run(argv, cwd=PROBES, check=True)


def main() -> None:
    """Write every probe whose source gives other bytes than the package has."""
    for architecture in TOOLCHAINS:
        content = assemble(architecture)
        path = executable(architecture)
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)
            path.chmod(0o755)


if __name__ == "__main__":
    main()
