"""What a layer holds at one path: the little that checks need to know of each file."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from orchestrator.verifying.binary import Binary


class NodeKind(StrEnum):
    """What is at a path. WHITEOUT removes it from the layers below, OPAQUE what they have inside the directory."""

    FILE = "f"
    DIRECTORY = "d"
    SYMLINK = "l"
    HARDLINK = "h"
    OTHER = "o"
    WHITEOUT = "w"
    OPAQUE = "q"


@dataclass(frozen=True, slots=True)
class Script:
    """A script: the interpreter of its first line and what that gives it, and the programs that it ends as.

    `runs` are the lines that begin with `exec`, as they are written, as far as the script is small enough to be read.
    """

    interpreter: tuple[str, ...]
    runs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Packages:
    """A package database: how many packages it has of each architecture, by the packager's own names."""

    architectures: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A short file whose words matter: library directories, tags of a wheel."""

    lines: tuple[str, ...]


Detail = Binary | Script | Packages | Text | None


@dataclass(frozen=True, slots=True)
class Node:
    """One path of a layer; `target` is that of a link, `detail` what its content says where that matters."""

    kind: NodeKind
    mode: int = 0
    size: int = 0
    target: str = ""
    detail: Detail = None

    @property
    def is_executable(self) -> bool:
        """Whether it is a file that somebody may execute."""
        return self.kind is NodeKind.FILE and bool(self.mode & 0o111)
