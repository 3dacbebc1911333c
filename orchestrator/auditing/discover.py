"""Finds the Dockerfiles of a folder by their names, and leaves out what git ignores."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pathspec import GitIgnoreSpec

from orchestrator.core.errors import UsageError

_NAME = re.compile(r"(?:docker|container)file(?:[.\-_].*)?|.+\.(?:docker|container)file", re.IGNORECASE)
_NO_DOCKERFILE = re.compile(
    r".*\.(?:dockerignore|containerignore|md|py|sh|txt|json|ya?ml|j2|tmpl|tpl|bak|orig)", re.IGNORECASE
)
_SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "__pycache__", ".tox"})
_DEEPEST = 40
_MOST = 20_000


@dataclass(frozen=True, slots=True)
class _Ignored:
    """The ignore files that hold in a folder: each with the folder that it stands in."""

    specs: tuple[tuple[Path, GitIgnoreSpec], ...] = ()

    def below(self, folder: Path) -> _Ignored:
        """What holds in a folder: what held above it, and its own file."""
        try:
            lines = (folder / ".gitignore").read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return self
        return _Ignored((*self.specs, (folder, GitIgnoreSpec.from_lines(lines))))

    def covers(self, path: Path, *, is_folder: bool) -> bool:
        """Whether git ignores a path; the file nearest to it has the last word."""
        for folder, spec in reversed(self.specs):
            name = path.relative_to(folder).as_posix() + ("/" if is_folder else "")
            decision = spec.check_file(name).include
            if decision is not None:
                return decision
        return False


def dockerfiles(paths: tuple[str, ...], directory: Path) -> tuple[str, ...]:
    """Files as they are named, and the Dockerfiles below folders as the user would name them; or UsageError."""
    found: dict[str, None] = {}
    for text in paths:
        path = directory / text
        if path.is_dir():
            root = path.resolve()
            found.update(dict.fromkeys(_shown(one, root, text) for one in _dockerfiles_below(root)))
        elif path.exists():
            found[text] = None
        else:
            raise UsageError(f"{text} is not there", hint="name a Dockerfile or a folder")
        if len(found) > _MOST:
            raise UsageError(f"{text} holds more than {_MOST} Dockerfiles", hint="name a smaller folder")
    return tuple(found)


def visible_files(folder: Path, wanted: Callable[[str], bool]) -> tuple[str, ...]:
    """The files below a folder that git does not ignore and whose path in it is wanted; at most 20,000."""
    root = folder.resolve()

    def is_wanted(path: Path) -> bool:
        return wanted(path.relative_to(root).as_posix())

    found = _below(root, _ignored_above(root), is_wanted)
    return tuple(path.relative_to(root).as_posix() for path in islice(found, _MOST))


def is_dockerfile_name(name: str) -> bool:
    """Whether a file of this name is taken for a Dockerfile."""
    return bool(_NAME.fullmatch(name)) and not _NO_DOCKERFILE.fullmatch(name)


def _shown(found: Path, folder: Path, text: str) -> str:
    inside = found.relative_to(folder).as_posix()
    return inside if text in {".", "./"} else f"{text.rstrip('/')}/{inside}"


def _ignored_above(folder: Path) -> _Ignored:
    """What the ignore files above a folder say, from the top of its checkout on; nothing outside a checkout."""
    above = [folder, *folder.parents]
    top = next((number for number, parent in enumerate(above) if (parent / ".git").exists()), 0)
    found = _Ignored()
    for parent in reversed(above[1 : top + 1]):
        found = found.below(parent)
    return found


def _dockerfiles_below(root: Path) -> Iterator[Path]:
    return _below(root, _ignored_above(root), lambda path: is_dockerfile_name(path.name))


def _below(folder: Path, ignored: _Ignored, wanted: Callable[[Path], bool], depth: int = 0) -> Iterator[Path]:
    if depth > _DEEPEST:
        return
    here = ignored.below(folder)
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in _SKIPPED_FOLDERS and not here.covers(path, is_folder=True):
                yield from _below(path, here, wanted, depth + 1)
        elif wanted(path) and entry.is_file() and not here.covers(path, is_folder=False):
            yield path
