"""Hashes by the algorithm that a digest names."""

from __future__ import annotations

import hashlib
from typing import Protocol

from orchestrator.registry.digest import is_computable


class Hasher(Protocol):
    """What hashlib's objects can do."""

    def update(self, data: bytes, /) -> None:
        """Take in bytes."""
        ...

    def hexdigest(self) -> str:
        """The digest so far."""
        ...


def hasher(digest: str) -> Hasher | None:
    """A hash of the algorithm that a digest names; None for algorithms that we cannot compute."""
    return hashlib.new(digest.partition(":")[0]) if is_computable(digest) else None
