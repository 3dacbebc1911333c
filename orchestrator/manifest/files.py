"""Which files are the manifest, and their texts: bounded in number and size, whatever the user names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrator.core.errors import UsageError
from orchestrator.core.fleet import Place
from orchestrator.manifest.mistake import fatal

DEFAULT_FILE = "mabuild.yaml"
DEFAULT_FOLDER = "manifests"
LARGEST_FILE = 4 << 20
_MOST_FILES = 1_000
_SUFFIXES = frozenset({".yaml", ".yml"})
_HINT = "`mabuild init` writes a first manifest; -f names another file or folder"


@dataclass(frozen=True, slots=True)
class File:
    """A manifest file: the path as the user gave it, and the path to open it with."""

    shown: str
    path: Path


def manifest_files(given: tuple[str, ...], directory: Path) -> tuple[File, ...]:
    """The manifest files that are meant, each once; raises UsageError where there is none."""
    found: dict[Path, File] = {}
    for name in given or (_default(directory),):
        try:
            for file in _files_of(name, directory):
                found.setdefault(file.path.resolve(), file)
        except OSError as error:
            raise UsageError(f"cannot read {name}: {error.strerror}", hint=_HINT) from error
    if len(found) > _MOST_FILES:
        raise UsageError(f"{len(found):,} manifest files are more than {_MOST_FILES:,}", hint="is it the right folder?")
    return tuple(found.values())


def _default(directory: Path) -> str:
    for name in (DEFAULT_FILE, DEFAULT_FOLDER):
        if (directory / name).exists():
            return name
    raise UsageError(f"there is no manifest: neither {DEFAULT_FILE} nor {DEFAULT_FOLDER}/", hint=_HINT)


def _files_of(name: str, directory: Path) -> Iterator[File]:
    path = directory / name
    if path.is_dir():
        inside = sorted(entry for entry in path.iterdir() if entry.suffix in _SUFFIXES and entry.is_file())
        visible = [entry for entry in inside if not entry.name.startswith(".")]
        if not visible:
            raise UsageError(f"there is no manifest in {name}: it has no .yaml file", hint=_HINT)
        for entry in visible:
            yield File(f"{name.rstrip('/')}/{entry.name}", entry)
    elif path.exists():
        yield File(name, path)
    else:
        raise UsageError(f"there is no manifest {name}", hint=_HINT)


def manifest_text(file: File) -> str:
    """The text of a manifest file; raises ManifestError for what is too large or not UTF-8, UsageError for the rest."""
    try:
        with file.path.open("rb") as stream:
            content = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        raise UsageError(f"cannot read {file.shown}: {error.strerror}") from error
    if len(content) > LARGEST_FILE:
        message = f"the file is larger than {LARGEST_FILE >> 20} MiB, which no manifest is"
        raise fatal("too-large", Place(file.shown, 1, 1), message)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        message = f"the file is not UTF-8: the byte 0x{content[error.start]:02X} begins no letter"
        raise fatal("encoding", Place(file.shown, line, column), message) from None
