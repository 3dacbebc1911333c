"""What is read of a registry's answer, and what a build takes of it."""

from __future__ import annotations

import io
import json
from contextlib import AbstractContextManager, nullcontext
from typing import BinaryIO

import pytest

from orchestrator.core.errors import MabuildError
from orchestrator.core.image import DOCKER_MANIFEST, OCI_INDEX, Descriptor, Document, sha256
from orchestrator.core.plan import BasePlatform
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.core.reference import Reference
from orchestrator.planning.published import Published, published

_DEBIAN = Reference.parse("debian:12")


class Shelf:
    """A store of one manifest and its configuration, which counts what is asked."""

    def __init__(self, media_type: str, manifest: object, blob: bytes = b"") -> None:
        content = manifest if isinstance(manifest, bytes) else json.dumps(manifest).encode()
        self.document = Document.of(media_type, content)
        self.content = blob
        self.asked: list[str] = []

    def resolve(self, reference: Reference) -> Descriptor:
        """Not needed: one request less."""
        raise AssertionError(f"no need to resolve {reference}")

    def manifest(self, reference: Reference) -> Document:
        """The manifest."""
        self.asked.append(str(reference))
        return self.document

    def blob_size(self, repository: Reference, digest: str) -> int:
        """Not needed."""
        raise AssertionError(f"no need for the size of {digest} in {repository}")

    def blob(self, repository: Reference, digest: str) -> AbstractContextManager[BinaryIO]:
        """The configuration."""
        self.asked.append(digest)
        return nullcontext(io.BytesIO(self.content))


def _single(config: dict[str, str]) -> Shelf:
    content = json.dumps(config).encode()
    return Shelf(DOCKER_MANIFEST, {"config": {"digest": sha256(content)}, "layers": []}, content)


def test_a_list_costs_one_request_and_attestations_are_no_platforms() -> None:
    entries = [
        {"digest": "sha256:aa", "platform": {"os": "linux", "architecture": "amd64"}},
        {"digest": "sha256:bb", "platform": {"os": "linux", "architecture": "arm64", "variant": "v8"}},
        {"digest": "sha256:cc", "platform": {"os": "unknown", "architecture": "unknown"}},
        {"digest": "sha256:dd"},
    ]
    shelf = Shelf(OCI_INDEX, {"manifests": entries})
    found = published(shelf, _DEBIAN)
    assert found.is_list
    assert found.platforms == (BasePlatform(LINUX_AMD64, "sha256:aa"), BasePlatform(LINUX_ARM64, "sha256:bb"))
    assert shelf.asked == ["docker.io/library/debian:12"]


def test_a_reference_without_tag_is_asked_at_latest() -> None:
    shelf = Shelf(OCI_INDEX, {"manifests": []})
    published(shelf, Reference.parse("debian"))
    assert shelf.asked == ["docker.io/library/debian:latest"]


def test_a_single_image_is_known_by_its_configuration() -> None:
    shelf = _single({"os": "linux", "architecture": "arm64"})
    found = published(shelf, _DEBIAN)
    assert not found.is_list
    assert found.taken_for(LINUX_ARM64) == BasePlatform(LINUX_ARM64, found.digest)
    assert found.taken_for(LINUX_AMD64) is None
    assert len(shelf.asked) == 2


def test_a_configuration_with_another_digest_is_not_believed() -> None:
    shelf = _single({"os": "linux", "architecture": "arm64"})
    shelf.content = b'{"os": "linux", "architecture": "amd64"}'
    with pytest.raises(MabuildError, match="is not what its manifest names"):
        published(shelf, _DEBIAN)


@pytest.mark.parametrize("content", [b"", b"[1]", b"[" * 100_000, b"{", b'{"config": 3}', b'{"config": {}}', b"\xff"])
def test_what_is_no_manifest_is_an_error_and_no_traceback(content: bytes) -> None:
    with pytest.raises(MabuildError):
        published(Shelf(DOCKER_MANIFEST, content), _DEBIAN)


@pytest.mark.parametrize("config", [{}, {"os": "linux"}, {"architecture": "unknown"}])
def test_a_configuration_without_platform_is_an_error(config: dict[str, str]) -> None:
    with pytest.raises(MabuildError, match="names no platform"):
        published(_single(config), _DEBIAN)


@pytest.mark.parametrize(
    ("has", "wanted", "taken"),
    [
        (["linux/amd64", "linux/386"], "linux/amd64", "linux/amd64"),
        (["linux/386"], "linux/amd64", ""),
        (["linux/amd64", "linux/amd64/v3"], "linux/amd64/v3", "linux/amd64/v3"),
        (["linux/amd64", "linux/amd64/v3"], "linux/amd64/v2", "linux/amd64"),
        (["linux/arm/v7"], "linux/arm64", ""),
        (["linux/arm/v5", "linux/arm/v6"], "linux/arm/v7", "linux/arm/v6"),
        (["linux/arm64"], "linux/arm64/v8", "linux/arm64"),
    ],
)
def test_the_nearest_variant_of_the_same_architecture_is_taken(has: list[str], wanted: str, taken: str) -> None:
    found = Published("", tuple(BasePlatform(Platform.parse(text), text) for text in has), is_list=True)
    entry = found.taken_for(Platform.parse(wanted))
    assert (str(entry.platform) if entry else "") == taken
