"""Remembers on disk what was found in a layer: the bytes of a digest never change, so neither does the verdict.

Files are written whole and then moved into place, carry a checksum, and count for nothing where anything is odd.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import zlib
from pathlib import Path

from orchestrator.core.image import Descriptor
from orchestrator.verifying.scan import LayerScan
from orchestrator.verifying.scan_text import from_data, to_data

_VERSION = "1"
_LARGEST, _LARGEST_UNPACKED = 64 << 20, 256 << 20


class VerdictCache:
    """Scans by layer digest in a folder; without a folder nothing is remembered."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder / f"layers-{_VERSION}" if folder else None

    def get(self, layer: Descriptor) -> LayerScan | None:
        """What is remembered of a layer; None where nothing is, or nothing that can be trusted."""
        if self._folder is None:
            return None
        content = _read(self._path(self._folder, layer.digest))
        try:
            scan = from_data(json.loads(content)) if content else None
        except (ValueError, TypeError, RecursionError):
            return None
        is_same = scan is not None and scan.digest == layer.digest and layer.size in (-1, scan.packed_size)
        return scan if is_same else None

    def put(self, layer: Descriptor, scan: LayerScan) -> None:
        """Remember a layer that was read to its end and has the bytes of its digest; a full disk is no error."""
        if self._folder is None or not scan.is_whole or scan.hexdigest != layer.digest.partition(":")[2]:
            return
        packed = zlib.compress(json.dumps(to_data(scan), separators=(",", ":")).encode(), 1)
        checksum = hashlib.sha256(packed).hexdigest().encode()
        with contextlib.suppress(OSError):
            _write(self._path(self._folder, layer.digest), checksum + b"\n" + packed)

    @staticmethod
    def _path(folder: Path, digest: str) -> Path:
        name = hashlib.sha256(digest.encode()).hexdigest()
        return folder / name[:2] / name


def _read(path: Path) -> bytes:
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
