"""Writes images as an OCI layout folder: complete or not at all, every byte held to its digest."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from orchestrator.core.errors import MabuildError, UsageError
from orchestrator.core.image import OCI_INDEX, Descriptor, Document, Index
from orchestrator.core.reference import Reference, is_digest
from orchestrator.registry.digest import is_computable
from orchestrator.registry.errors import DigestError
from orchestrator.registry.layout import IMAGE_NAME, INDEX_FILE, REFERENCE_NAME
from orchestrator.registry.media import Pairs, descriptor_of, descriptor_text, parse
from orchestrator.registry.store import Store

MARK_FILE = "oci-layout"
_MARK = '{"imageLayoutVersion": "1.0.0"}'
_PIECE = 1024 * 1024
_DEEPEST = 4


def write_layout(
    directory: Path, document: Document, parts: Iterable[tuple[Store, Reference]], *, names: tuple[Reference, ...] = ()
) -> None:
    """Write an index (or manifest) and all that it needs to a folder, which a layout that is there gives way to.

    `parts` are the images that its entries name, each with the store to copy it from; `names` are the references
    that the layout gets. UsageError where the folder holds something else; nothing is changed on any error.
    """
    _check_target(directory)
    scratch = _make_scratch(directory)
    try:
        for store, reference in parts:
            _copy(store, reference, scratch, 0)
        _put(scratch, document)
        (scratch / MARK_FILE).write_text(_MARK, encoding="utf-8")
        (scratch / INDEX_FILE).write_bytes(_outer_index(document, names))
        scratch.chmod(0o755)
        _swap(scratch, directory)
    except OSError as error:
        raise MabuildError(f"{directory} cannot be written: {error.strerror}") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _make_scratch(directory: Path) -> Path:
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f".{directory.name}-", dir=directory.parent))
    except OSError as error:
        raise MabuildError(f"{directory} cannot be written: {error.strerror}") from error


def _check_target(directory: Path) -> None:
    if not directory.exists():
        return
    if not directory.is_dir() or (any(directory.iterdir()) and not (directory / MARK_FILE).is_file()):
        raise UsageError(f"{directory} is there and is no OCI layout", hint="name a folder that is new or empty")


def _copy(store: Store, reference: Reference, directory: Path, depth: int) -> None:
    """Copy a manifest or index with everything below it."""
    if depth > _DEEPEST:
        raise MabuildError(f"{reference} nests lists more than {_DEEPEST} deep")
    document = store.manifest(reference)
    parsed = parse(document)
    _put(directory, document)
    if isinstance(parsed, Index):
        for entry in parsed.manifests:
            _copy(store, reference.with_digest(entry.digest), directory, depth + 1)
        return
    for blob in (parsed.config, *parsed.layers):
        _copy_blob(store, reference, blob, directory)


def _copy_blob(store: Store, reference: Reference, blob: Descriptor, directory: Path) -> None:
    path = _blob_path(directory, blob.digest)
    if path.exists():
        return
    part = path.with_name(f"{path.name}.part")
    hasher = hashlib.new(blob.digest.partition(":")[0])
    with store.blob(reference, blob.digest) as source, part.open("wb") as target:
        while piece := source.read(_PIECE):
            hasher.update(piece)
            target.write(piece)
    if hasher.hexdigest() != blob.digest.partition(":")[2]:
        raise DigestError(f"the blob {blob.digest} of {reference} has bytes of another digest")
    part.rename(path)


def _put(directory: Path, document: Document) -> None:
    _blob_path(directory, document.digest).write_bytes(document.content)


def _blob_path(directory: Path, digest: str) -> Path:
    if not is_digest(digest) or not is_computable(digest):
        raise DigestError(f"{digest!r} is no digest that can be computed here")
    algorithm, _, value = digest.partition(":")
    folder = directory / "blobs" / algorithm
    folder.mkdir(parents=True, exist_ok=True)
    return folder / value


def _outer_index(document: Document, names: tuple[Reference, ...]) -> bytes:
    entry = descriptor_of(document)
    named: list[Pairs] = [((REFERENCE_NAME, name.tag), (IMAGE_NAME, str(name))) for name in names]
    texts = ",".join(descriptor_text(replace(entry, annotations=note)) for note in named or [()])
    text = f'{{"schemaVersion":2,"mediaType":"{OCI_INDEX}","manifests":[{texts}]}}'
    return json.dumps(json.loads(text), indent=2).encode()


def _swap(scratch: Path, directory: Path) -> None:
    """Put the new folder in the place of the old one."""
    if not directory.exists():
        scratch.rename(directory)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{directory.name}-old-", dir=directory.parent))
    directory.rename(old / directory.name)
    try:
        scratch.rename(directory)
    except OSError:
        (old / directory.name).rename(directory)
        raise
    shutil.rmtree(old, ignore_errors=True)
