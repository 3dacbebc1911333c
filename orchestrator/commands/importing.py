"""Compose and bake files through their readers, and the writing of the manifest that comes of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.commands.session import Session
from orchestrator.core.errors import UsageError
from orchestrator.report.errors import finding_line

if TYPE_CHECKING:
    from orchestrator.manifest.importing.imported import Imported

MANIFEST = "mabuild.yaml"
_LARGEST = 16 << 20


def import_file(name: str, folder: Path, here: Session) -> Imported:
    """The manifest, to stand in `folder`, of a compose or bake file. UsageError, ManifestError, UnreachableError."""
    from orchestrator.manifest.importing.bake import import_bake
    from orchestrator.manifest.importing.compose import import_compose

    path = Path(os.path.normpath(here.directory / name))
    text = text_of(path, name)
    if is_bake_file(path, text):
        from orchestrator.buildx.bake import printed_targets

        printed = printed_targets(path, here.environment)
        return import_bake(printed, name, directory=path.parent, folder=folder)
    return import_compose(_with_included(text, path, here), name, directory=path.parent, folder=folder)


def is_bake_file(path: Path, text: str) -> bool:
    """HCL is always bake's; JSON is where it has targets, for compose files may be JSON as well."""
    return path.suffix == ".hcl" or (path.suffix == ".json" and '"target"' in text)


def _with_included(text: str, path: Path, here: Session) -> str:
    """A compose file that includes others is put together by compose itself where that is installed."""
    if not any(line.startswith("include:") for line in text.splitlines()):
        return text
    from orchestrator.buildx.compose import put_together

    return put_together(path, here.environment) or text


def text_of(path: Path, shown: str) -> str:
    """The text of a file that the user named, of a sane size; or UsageError."""
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except OSError as error:
        raise UsageError(f"cannot read {shown}: {error.strerror}") from error
    if len(content) > _LARGEST:
        raise UsageError(f"{shown} is larger than {_LARGEST >> 20} MiB")
    return content.decode("utf-8", "replace")


def tell_left_out(imported: Imported, here: Session) -> None:
    """Everything that could not be carried over, one line each."""
    for note in imported.notes:
        line = finding_line(note)
        here.say(f"{line}\n" if note.line else f"{note.severity}: {note.message}\n")


def write_manifest(text: str, target: str, here: Session, *, force: bool) -> None:
    """Write a manifest; UsageError where a file is there that the user did not allow to be overwritten."""
    path = here.directory / target
    if path.exists() and not force:
        raise UsageError(f"{target} is there already", hint="--force overwrites it; --dry-run shows what it would be")
    path.parent.mkdir(parents=True, exist_ok=True)
    here.write(text, target)
