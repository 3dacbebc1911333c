"""Remembers on disk what was found in a layer: the bytes of a digest never change, so neither does the verdict."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from orchestrator.core.image import Descriptor
from orchestrator.verifying.kept import read_kept, write_kept
from orchestrator.verifying.scan import LayerScan
from orchestrator.verifying.scan_text import from_data, to_data

_VERSION = "1"


class VerdictCache:
    """Scans by layer digest in a folder; without a folder nothing is remembered."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder / f"layers-{_VERSION}" if folder else None

    def get(self, layer: Descriptor) -> LayerScan | None:
        """What is remembered of a layer; None where nothing is, or nothing that can be trusted."""
        if self._folder is None:
            return None
        content = read_kept(self._path(self._folder, layer.digest))
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
        content = json.dumps(to_data(scan), separators=(",", ":")).encode()
        write_kept(self._path(self._folder, layer.digest), content)

    @staticmethod
    def _path(folder: Path, digest: str) -> Path:
        name = hashlib.sha256(digest.encode()).hexdigest()
        return folder / name[:2] / name
