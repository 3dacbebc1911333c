"""Layers with a static busybox of either architecture: the smallest base that has a shell."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from lab.debian import foreign_architecture, machine_architecture
from lab.images import Layer, pack
from lab.process import run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.debian import Apt

FILES = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n",
    "etc/group": "root:x:0:\nnogroup:x:65534:\n",
}
FOLDERS = ("dev", "proc", "sys", "root", "home", "var", "usr/bin", "tmp")


def busybox_layers(apt: Apt, folder: Path) -> dict[str, Layer]:
    """By architecture; made once, then found again."""
    order = (machine_architecture(), foreign_architecture())
    files = {architecture: folder / f"busybox-{architecture}.tar.gz" for architecture in order}
    if all(file.exists() for file in files.values()):
        return {architecture: Layer.load(file) for architecture, file in files.items()}
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        programs = {architecture: _program(apt, architecture, Path(scratch)) for architecture in order}
        commands = run([str(programs[order[0]]), "--list"]).split()  # the same in both: one source, one configuration
        roots = {architecture: _lay_out(programs[architecture], commands) for architecture in order}
        return {architecture: pack(roots[architecture], files[architecture]) for architecture in order}


def _program(apt: Apt, architecture: str, scratch: Path) -> Path:
    """The program, alone in a root folder of its own."""
    unpacked, root = scratch / f"unpacked-{architecture}", scratch / f"root-{architecture}"
    for archive in apt.download(["busybox-static"], architecture, scratch / architecture):
        run(["dpkg-deb", "--extract", str(archive), str(unpacked)])
    program = next(path for path in unpacked.glob("**/bin/busybox") if path.is_file())
    (root / "bin").mkdir(parents=True)
    return program.rename(root / "bin/busybox")


def _lay_out(program: Path, commands: Sequence[str]) -> Path:
    root = program.parents[1]
    for command in commands:
        link = root / "bin" / command
        if not link.exists():
            link.symlink_to("busybox")
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "tmp").chmod(0o1777)
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    root.chmod(0o755)
    return root
