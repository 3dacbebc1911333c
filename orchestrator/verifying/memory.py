"""Remembers for an hour what a repository was seen to hold, so that looking inside an image again costs one request.

Bytes of a digest never change, but a repository may lose them: what was seen longer ago is asked for again.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.verifying.kept import read_kept, write_kept

BELIEVED = 3600.0
_VERSION = "1"
_LARGEST, _MOST = 256 << 10, 2000


@dataclass(frozen=True, slots=True)
class Remembered:
    """Content that was there at a time (seconds since 1970); the bytes of manifests and configurations only."""

    seen: float
    media_type: str = ""
    content: bytes = b""


class Memory:
    """What one repository was seen to hold; without a folder nothing is remembered. Safe for threads."""

    def __init__(self, folder: Path | None, repository: str, now: Callable[[], float]) -> None:
        name = hashlib.sha256(repository.encode()).hexdigest()
        self._path = folder / f"seen-{_VERSION}" / name if folder else None
        self._now = now
        self._lock = threading.Lock()
        self._known = _load(self._path) if self._path else {}
        self._oldest = now()
        self.used = 0

    @property
    def age(self) -> float:
        """How long ago the oldest thing was seen that was believed."""
        return max(0.0, self._now() - self._oldest)

    def recall(self, digest: str) -> Remembered | None:
        """What was seen of a digest within the hour."""
        found = self._known.get(digest)
        if found is None or not 0 <= self._now() - found.seen <= BELIEVED:
            return None
        with self._lock:
            self.used += 1
            self._oldest = min(self._oldest, found.seen)
        return found

    def see(self, digest: str, media_type: str = "", content: bytes = b"") -> None:
        """Note that something is there now."""
        kept = content if len(content) <= _LARGEST else b""
        with self._lock:
            self._known[digest] = Remembered(self._now(), media_type, kept)

    def save(self) -> None:
        """Write it down, the latest things first where there are too many."""
        if self._path is None:
            return
        latest = sorted(self._known.items(), key=lambda pair: -pair[1].seen)[:_MOST]
        data = [[digest, one.seen, one.media_type, base64.b64encode(one.content).decode()] for digest, one in latest]
        write_kept(self._path, json.dumps(data).encode())


def _load(path: Path) -> dict[str, Remembered]:
    content = read_kept(path)
    try:
        return {
            str(digest): Remembered(float(seen), str(media_type), base64.b64decode(text))
            for digest, seen, media_type, text in (json.loads(content) if content else ())
        }
    except (ValueError, TypeError, RecursionError):
        return {}
