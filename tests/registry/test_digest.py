from __future__ import annotations

import hashlib

import pytest

from orchestrator.registry.digest import digest_like, require_digest
from orchestrator.registry.errors import DigestError

CONTENT = b"content"


@pytest.mark.parametrize("algorithm", ["sha256", "sha384", "sha512"])
def test_content_of_its_digest_passes(algorithm: str) -> None:
    digest = f"{algorithm}:{hashlib.new(algorithm, CONTENT).hexdigest()}"
    assert digest_like(digest, CONTENT) == digest
    require_digest(digest, CONTENT, "it")


def test_other_content_is_refused() -> None:
    with pytest.raises(DigestError, match="it is not what its digest says"):
        require_digest(digest_like("sha256:", b"other"), CONTENT, "it")


def test_an_algorithm_that_cannot_be_computed_proves_nothing() -> None:
    with pytest.raises(DigestError, match="nothing here computes blake3"):
        require_digest(f"blake3:{'0' * 64}", CONTENT, "it")
