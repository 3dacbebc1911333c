"""From the text of a Dockerfile to its instructions and stages, as BuildKit's parser draws their borders."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from orchestrator.core.errors import DockerfileError
from orchestrator.dockerfile.instruction import Directive, Instruction
from orchestrator.dockerfile.reader import scan
from orchestrator.dockerfile.source import Word
from orchestrator.dockerfile.stages import Stage, split_stages

LARGEST = 8 * 1024 * 1024
"""Bytes of the largest Dockerfile that is read."""


@dataclass(frozen=True, slots=True)
class Dockerfile:
    """A Dockerfile that BuildKit can read. `global_args` are the ARG instructions before the first FROM."""

    path: str
    text: str
    escape: str
    directives: tuple[Directive, ...]
    comments: tuple[Word, ...]
    instructions: tuple[Instruction, ...]
    global_args: tuple[Instruction, ...]
    stages: tuple[Stage, ...]
    parts: tuple[str, ...]

    def directive(self, name: str) -> str:
        """The value of a parser directive, or the empty text."""
        return next((one.value for one in self.directives if one.name == name), "")


def parse(text: str, path: str) -> Dockerfile:
    """Read a Dockerfile; `path` is only for messages.

    Raises DockerfileError with the line of the first thing that BuildKit would refuse too.
    """
    if len(text) > LARGEST:
        raise DockerfileError(f"the file is larger than {LARGEST} bytes", path=path, line=1)
    scanned = scan(text, path)
    foreign = _has_foreign_syntax(scanned.directives)
    global_args, stages = split_stages(scanned.instructions, path, foreign=foreign)
    return Dockerfile(
        path,
        text,
        scanned.escape,
        scanned.directives,
        scanned.comments,
        scanned.instructions,
        global_args,
        stages,
        scanned.parts,
    )


def _has_foreign_syntax(directives: tuple[Directive, ...]) -> bool:
    """Whether another frontend than docker's own reads the file, which may know more keywords."""
    for directive in directives:
        if directive.name == "syntax":
            repository = directive.value.split()[0].split("@")[0].rpartition("/")[2].partition(":")[0]
            return repository not in {"dockerfile", "dockerfile-upstream"}
    return False


def read(path: Path, name: str) -> Dockerfile:
    """Read and parse a file; `name` is the path as the user gave it. Raises DockerfileError."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise DockerfileError(f"cannot be read: {error.strerror}", path=name, line=1) from error
    if len(content) > LARGEST:
        raise DockerfileError(f"the file is larger than {LARGEST} bytes", path=name, line=1)
    return parse(content.decode("utf-8", "surrogateescape"), name)
