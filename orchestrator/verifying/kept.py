"""Files that may be lost at any time: written whole and moved into place, with a checksum, and nothing where odd."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import zlib
from pathlib import Path

_LARGEST, _LARGEST_UNPACKED = 64 << 20, 256 << 20


def read_kept(path: Path) -> bytes:
    """The content of a file whose checksum is right; empty where it is not there or was touched."""
    try:
        if path.stat().st_size > _LARGEST:
            return b""
        checksum, _, packed = path.read_bytes().partition(b"\n")
    except OSError:
        return b""
    if hashlib.sha256(packed).hexdigest().encode() != checksum:
        return b""
    try:
        return zlib.decompressobj().decompress(packed, _LARGEST_UNPACKED)
    except zlib.error:
        return b""


def write_kept(path: Path, content: bytes) -> None:
    """Keep some content; a full or read-only disk is no error."""
    packed = zlib.compress(content, 1)
    with contextlib.suppress(OSError):
        _write(path, hashlib.sha256(packed).hexdigest().encode() + b"\n" + packed)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
