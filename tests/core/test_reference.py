"""Image references by docker's rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.errors import UsageError
from orchestrator.core.reference import Reference, is_digest

DIGEST = "sha256:" + "0a" * 32


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("debian", "docker.io/library/debian"),
        ("debian:12", "docker.io/library/debian:12"),
        ("acme/api", "docker.io/acme/api"),
        ("index.docker.io/library/debian", "docker.io/library/debian"),
        ("ghcr.io/acme/api:1", "ghcr.io/acme/api:1"),
        ("localhost/api", "localhost/api"),
        ("localhost:5000/api", "localhost:5000/api"),
        ("localhost:5000/api:x", "localhost:5000/api:x"),
        ("[::1]:5000/api", "[::1]:5000/api"),
        (f"debian@{DIGEST}", f"docker.io/library/debian@{DIGEST}"),
        (f"r.io/a/b__c:1@{DIGEST}", f"r.io/a/b__c:1@{DIGEST}"),
    ],
)
def test_full_names(text: str, full: str) -> None:
    reference = Reference.parse(text)
    assert str(reference) == full
    assert Reference.parse(full) == reference


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "image name"),
        ("ghcr.io/Acme/api", "lower case"),
        ("api:", "tag"),
        ("api:a b", "tag"),
        ("api:" + "x" * 129, "tag"),
        ("api@sha256:abc", "digest"),
        ("api@" + DIGEST.upper(), "digest"),
        ("a//b", "image name"),
        ("https://ghcr.io/api", "image name"),
        ("ghcr.io/" + "a" * 300, "image name"),
        ("a" * 2000, "longer"),
        ("-a/b", "image name"),
        ("$IMAGE", "image name"),
    ],
)
def test_what_is_no_reference(text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        Reference.parse(text)


@given(
    st.sampled_from(["docker.io", "ghcr.io", "localhost:5000", "127.0.0.1:5000", "r.example.com"]),
    st.from_regex(r"[a-z0-9]+(/[a-z0-9]+([._-][a-z0-9]+)?){1,2}", fullmatch=True),
    st.sampled_from(["", "latest", "v1.2-x_y"]),
    st.sampled_from(["", DIGEST]),
)
def test_text_and_back(registry: str, repository: str, tag: str, digest: str) -> None:
    reference = Reference(registry, repository, tag, digest)
    assert Reference.parse(str(reference)) == reference
    assert Reference.parse(reference.familiar) == reference


def test_changes_give_new_references() -> None:
    reference = Reference.parse("ghcr.io/acme/api:1")
    assert str(reference.with_tag("2")) == "ghcr.io/acme/api:2"
    assert str(reference.with_digest(DIGEST)) == f"ghcr.io/acme/api@{DIGEST}"
    assert str(Reference.parse("debian").or_latest) == "docker.io/library/debian:latest"
    assert reference.or_latest is reference


def test_digests() -> None:
    assert is_digest(DIGEST)
    assert is_digest("sha512:" + "a" * 128)
    assert not is_digest("sha256:" + "A" * 64)
    assert not is_digest("latest")
