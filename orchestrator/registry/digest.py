"""Digests of any algorithm that image-spec registers: computing them and holding content to them."""

from __future__ import annotations

import hashlib

from orchestrator.registry.errors import DigestError

_ALGORITHMS = frozenset({"sha256", "sha384", "sha512"})


def is_computable(digest: str) -> bool:
    """Whether the digest's algorithm is one that can be computed here."""
    return digest.partition(":")[0] in _ALGORITHMS


def digest_like(digest: str, content: bytes) -> str:
    """The digest of some bytes by the algorithm of another digest; sha256 where that one cannot be computed."""
    algorithm = digest.partition(":")[0] if is_computable(digest) else "sha256"
    return f"{algorithm}:{hashlib.new(algorithm, content).hexdigest()}"


def require_digest(digest: str, content: bytes, what: str) -> None:
    """DigestError unless the bytes give the digest; `what` names the content in the message."""
    found = digest_like(digest, content)
    if not is_computable(digest):
        raise DigestError(f"{what} cannot be proven: nothing here computes {digest.partition(':')[0]} digests")
    if found != digest:
        raise DigestError(
            f"{what} is not what its digest says: {digest} was asked for, and the bytes give {found}",
            hint="the registry, a proxy or a mirror changed or damaged the content",
        )
