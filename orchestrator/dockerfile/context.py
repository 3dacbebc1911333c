"""The digest of a build context: what BuildKit would be sent, without what differs between checkouts."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.core.errors import UsageError
from orchestrator.core.once import Once
from orchestrator.dockerfile.ignore import Ignore, Matched, read_ignore

MOST_ENTRIES = 1_000_000
_THREADS = 8
_CHUNK = 1024 * 1024
_EXECUTABLE = 0o111


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, folder or link of a context. `path` is relative and has slashes; of the mode only execution counts."""

    path: str
    kind: str
    executable: int = 0
    target: str = ""


@dataclass(slots=True)
class Contexts:
    """Digests of contexts, each folder with the same ignore file read once. Safe for threads."""

    _known: Once[tuple[str, Ignore], str] = field(default_factory=Once)

    def digest(self, context: Path, dockerfile: Path) -> str:
        """The digest of a service's context; UsageError where it cannot be read."""
        return self.of(context, read_ignore(context, dockerfile))

    def of(self, folder: Path, ignore: Ignore) -> str:
        """The digest of a folder without what is ignored."""
        return self._known.of((str(folder.resolve()), ignore), lambda: context_digest(folder, ignore))


def context_digest(folder: Path, ignore: Ignore) -> str:
    """Sha256 over paths, kinds, execution bits, link targets and contents; not over times and owners."""
    entries = sorted(walk(folder, ignore), key=lambda entry: entry.path)
    files = [folder / entry.path for entry in entries if entry.kind == "file"]
    with ThreadPoolExecutor(_THREADS) as pool:
        contents = dict(zip(files, pool.map(_content_digest, files, chunksize=16), strict=True))
    whole = hashlib.sha256()
    for entry in entries:
        content = contents.get(folder / entry.path, "")
        fields = (entry.path, entry.kind, f"{entry.executable:o}", entry.target, content)
        whole.update("\0".join(fields).encode("utf-8", "surrogateescape") + b"\0\n")
    return f"sha256:{whole.hexdigest()}"


def walk(folder: Path, ignore: Ignore) -> Iterator[Entry]:
    """What is in a folder and not ignored; UsageError for what cannot be read, or is more than a million entries."""
    waiting: list[tuple[str, Matched]] = [("", ())]
    count = 0
    while waiting:
        above, matched = waiting.pop()
        for found in _listed(folder / above):
            path = f"{above}/{found.name}" if above else found.name
            count += 1
            if count > MOST_ENTRIES:
                raise UsageError(f"{folder} holds more than {MOST_ENTRIES} files", hint="name some in .dockerignore")
            excluded, here = ignore.excluded(path, matched)
            entry = _entry(found, path)
            if not excluded:
                yield entry
            if entry.kind == "folder" and (not excluded or ignore.may_hold_exceptions(path)):
                waiting.append((path, here))


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError as error:
        raise UsageError(f"{folder} cannot be read: {error.strerror}") from error


def _entry(found: os.DirEntry[str], path: str) -> Entry:
    try:
        mode = found.stat(follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            return Entry(path, "link", target=str(Path(found.path).readlink()))
    except OSError as error:
        raise UsageError(f"{found.path} cannot be read: {error.strerror}") from error
    if stat.S_ISDIR(mode):
        return Entry(path, "folder")
    return Entry(path, "file" if stat.S_ISREG(mode) else "special", mode & _EXECUTABLE)


def _content_digest(path: Path) -> str:
    whole = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while content := file.read(_CHUNK):
                whole.update(content)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    return whole.hexdigest()
