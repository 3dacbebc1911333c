"""One set of tests for every place that holds images, and how images are written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.core.errors import UsageError
from orchestrator.core.image import OCI_INDEX, Document, Index, Manifest, sha256
from orchestrator.core.reference import Reference
from orchestrator.registry.errors import NotFoundError
from orchestrator.registry.media import parse, parse_config
from orchestrator.registry.stores import STORES, Opened, Stores, open_store
from tests.faults.docker_engine import DockerEngine
from tests.faults.registry_server import RegistryServer
from tests.registry.images import Image, fill, make_client, make_image
from tests.registry.layouts import docker_files, layout_files, named, tar_bytes, write_files, write_tar

IMAGE = make_image()
NONE = f"sha256:{'0' * 64}"
HOME = {"HOME": "/nonexistent"}


@dataclass(frozen=True)
class Place:
    """How an image is written, and the environment to open it in."""

    text: str
    environment: dict[str, str]
    has_list: bool = True


def registry(tmp_path: Path, stack: ExitStack) -> Place:
    server = stack.enter_context(RegistryServer())
    fill(server, IMAGE)
    return Place(f"{server.address}/acme/api:1", HOME)


def layout(tmp_path: Path, stack: ExitStack) -> Place:
    return Place(f"oci-layout:{write_files(tmp_path / 'image', layout_files(IMAGE))}", HOME)


def archive(tmp_path: Path, stack: ExitStack) -> Place:
    return Place(f"oci-archive:{write_tar(tmp_path / 'image.tar', layout_files(IMAGE), prefix='./')}", HOME)


def docker_archive(tmp_path: Path, stack: ExitStack) -> Place:
    return Place(f"docker-archive:{write_tar(tmp_path / 'image.tar', docker_files(IMAGE))}", HOME, has_list=False)


def daemon(tmp_path: Path, stack: ExitStack) -> Place:
    content = tar_bytes(layout_files(IMAGE, named("1", "docker.io/acme/api:1")))
    engine = stack.enter_context(DockerEngine({"acme/api:1": content}))
    return Place("docker-daemon:acme/api:1", {**HOME, "DOCKER_HOST": engine.address})


def classic_daemon(tmp_path: Path, stack: ExitStack) -> Place:
    engine = stack.enter_context(DockerEngine({"api:latest": tar_bytes(docker_files(IMAGE, "api:latest"))}))
    return Place("docker-daemon:api", {**HOME, "DOCKER_HOST": engine.address}, has_list=False)


def real_registry(tmp_path: Path, stack: ExitStack) -> Place:
    address = os.environ["MABUILD_LAB_REGISTRY"]
    client = make_client()
    reference = Reference.parse(f"{address}/tests/stores:1")
    push(client.put_blob, client.put_manifest, reference, IMAGE)
    client.close()
    return Place(str(reference), HOME)


def push(
    put_blob: Callable[[Reference, bytes], str],
    put_manifest: Callable[[Reference, Document], str],
    reference: Reference,
    image: Image,
) -> None:
    for content in image.blobs.values():
        put_blob(reference, content)
    for content in image.manifests:
        manifest = Document.of("application/vnd.oci.image.manifest.v1+json", content)
        put_manifest(reference.with_digest(manifest.digest), manifest)
    put_manifest(reference, Document.of(OCI_INDEX, image.index))


@pytest.fixture(
    params=[
        registry,
        layout,
        archive,
        docker_archive,
        daemon,
        classic_daemon,
        pytest.param(real_registry, marks=pytest.mark.real),
    ],
    ids=lambda place: place.__name__,
)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with ExitStack() as stack:
        yield request.param(tmp_path, stack)


@pytest.fixture
def opened(place: Place) -> Iterator[Opened]:
    with open_store(place.text, settings=(), environment=place.environment) as opened:
        yield opened


class TestEveryStore:
    """What `registry/store.py` promises."""

    def test_a_reference_is_found_and_pinned(self, opened: Opened, place: Place) -> None:
        found = opened.store.resolve(opened.reference)
        document = opened.store.manifest(opened.reference)
        assert opened.name == place.text
        assert opened.reference.tag or opened.reference.digest == found.digest
        assert (found.digest, found.size) == (document.digest, len(document.content))
        assert found.media_type == document.media_type
        assert document.digest == sha256(document.content)
        if place.has_list:
            assert document == Document(OCI_INDEX, IMAGE.index, IMAGE.digest)

    def test_everything_below_is_found_by_digest(self, opened: Opened, place: Place) -> None:
        root = parse(opened.store.manifest(opened.reference))
        entries = root.manifests if isinstance(root, Index) else ()
        documents = [opened.store.manifest(opened.reference.with_digest(entry.digest)) for entry in entries]
        manifests = [parse(document) for document in documents] or [root]
        assert len(manifests) == (2 if place.has_list else 1)
        for manifest, config in zip(manifests, IMAGE.configs, strict=False):
            assert isinstance(manifest, Manifest)
            assert read(opened, manifest.config.digest) == config
            (layer,) = manifest.layers
            assert read(opened, layer.digest) == IMAGE.layer
            assert sha256(read(opened, layer.digest)) == layer.digest
            for blob in (manifest.config, layer):
                assert opened.store.blob_size(opened.reference, blob.digest) == blob.size
            assert parse_config(config).diff_ids == (layer.digest,)

    def test_a_piece_of_a_blob(self, opened: Opened) -> None:
        digest = sha256(IMAGE.layer)
        with opened.store.blob(opened.reference, digest) as stream:
            assert stream.read(7) == IMAGE.layer[:7]
            assert stream.read(3000) == IMAGE.layer[7:3007]
            assert stream.read() == IMAGE.layer[3007:]
            assert stream.read(1) == b""

    def test_what_is_not_there(self, opened: Opened) -> None:
        with pytest.raises(NotFoundError):
            opened.store.manifest(opened.reference.with_digest(NONE))
        with pytest.raises(NotFoundError):
            opened.store.resolve(opened.reference.with_digest(NONE))
        for digest in (NONE, "sha256:../../../etc/passwd", ""):
            with pytest.raises(NotFoundError):
                opened.store.blob_size(opened.reference, digest)
            with pytest.raises(NotFoundError):
                opened.store.blob(opened.reference, digest).__enter__()

    def test_threads_read_side_by_side(self, opened: Opened) -> None:
        digest = sha256(IMAGE.layer)
        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(lambda _: read(opened, digest) == IMAGE.layer, range(32)))


def read(opened: Opened, digest: str) -> bytes:
    with opened.store.blob(opened.reference, digest) as stream:
        return stream.read()


def test_images_in_registries_share_one_client() -> None:
    with RegistryServer() as server:
        fill(server, IMAGE)
        stores = Stores((), HOME)
        for text in (f"{server.address}/acme/api:1", f"{server.address}/acme/api@{IMAGE.digest}"):
            with stores.open(text) as opened:
                assert opened.store is stores.client
                assert opened.store.manifest(opened.reference).digest == IMAGE.digest
        assert stores.client.traffic.requests == 2
        stores.close()


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("busybox", "docker.io/library/busybox:latest"),
        ("oci-layout", "docker.io/library/oci-layout:latest"),
        ("ghcr.io/acme/api:1", "ghcr.io/acme/api:1"),
        ("localhost:5000/x", "localhost:5000/x:latest"),
    ],
)
def test_names_without_a_scheme_are_in_registries(text: str, reference: str) -> None:
    assert str(open_store(text, settings=(), environment=HOME).reference) == reference


@pytest.mark.parametrize("text", ["", "oci-layout:", "UPPER", "docker-daemon:UPPER", "oci-layout:/nonexistent"])
def test_what_is_no_image(text: str) -> None:
    with pytest.raises(UsageError):
        open_store(text, settings=(), environment=HOME)


def test_every_scheme_has_its_line() -> None:
    assert set(STORES) == {"oci-layout", "oci-archive", "docker-archive", "docker-daemon"}


def test_tags_and_digests_of_layouts(tmp_path: Path) -> None:
    directory = write_files(tmp_path / "a:b", layout_files(IMAGE, named("1"), named("2", "docker.io/acme/api:2")))
    for place in ("", ":1", ":2", ":docker.io/acme/api:2", ":acme/api:2", f"@{IMAGE.digest}"):
        with open_store(f"oci-layout:{directory}{place}", settings=(), environment=HOME) as opened:
            assert opened.reference.digest == IMAGE.digest
    with pytest.raises(NotFoundError) as caught:
        open_store(f"oci-layout:{directory}:3", settings=(), environment=HOME)
    assert caught.value.hint == "it has 1, 2, acme/api:2, docker.io/acme/api:2"
    with pytest.raises(UsageError, match="is not a digest"):
        open_store(f"oci-layout:{directory}@sha256:abc", settings=(), environment=HOME)
