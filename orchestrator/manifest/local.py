"""Paths in manifests: relative to the file that names them, and a likely name for what is missing."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from orchestrator.manifest.mistake import suggestion

_REMOTE = re.compile(r"(?:https?|git|ssh|git\+ssh)://|git@|github\.com/|-$")
_MOST_NAMES = 2_000
_DOCKERFILE_LIKE = re.compile(
    r"(?:dockerfile|containerfile)(?:[.\-_].*)?|.*\.(?:dockerfile|containerfile)", re.IGNORECASE
)


def local_path(text: str, directory: Path, environment: Mapping[str, str]) -> Path:
    """The path that a manifest in a folder means; `..` is taken away by its words, as compose does."""
    if text == "~" or text.startswith("~/"):
        text = environment.get("HOME", "~") + text[1:]
    return Path(os.path.normpath(directory / text))


def relative_between(start: Path, path: Path) -> str:
    """How a path is called from a folder, with forward slashes; neither has to be there."""
    return Path(os.path.relpath(path, start)).as_posix()


def is_remote(text: str) -> bool:
    """Whether a context is an address, a repository, or standard input, and no folder."""
    return bool(_REMOTE.match(text)) or ".git#" in text


def is_folder(path: Path) -> bool:
    """Whether a folder is there and can be seen."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_file(path: Path) -> bool:
    """Whether a file is there and can be seen."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def missing_folder(text: str, path: Path) -> str:
    """What is wrong with a folder that is not there; `text` is how the manifest writes it."""
    if is_file(path):
        return f"{text} is a file; a context is a folder"
    return f"there is no folder {text}{suggestion(path.name, _names(path.parent))}"


def missing_dockerfile(text: str, path: Path, context: Path) -> str:
    """What is wrong with a Dockerfile that is not there, and which one may be meant."""
    if is_folder(path):
        return f"{text} is a folder, not a Dockerfile"
    near = [name for name in _names(context) if _DOCKERFILE_LIKE.fullmatch(name)]
    there = f"; the context has {', '.join(sorted(near)[:4])}" if near else ""
    return f"there is no file {text} in the context{there or suggestion(path.name, _names(path.parent))}"


def _names(folder: Path) -> list[str]:
    try:
        return [path.name for path in islice(folder.iterdir(), _MOST_NAMES)]
    except (OSError, ValueError):
        return []
