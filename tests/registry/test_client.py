"""Reading and writing over real HTTP, against a registry whose oddities can be switched on."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha512
from pathlib import Path

import pytest

from orchestrator.core.errors import Exit, MabuildError
from orchestrator.core.fleet import RegistrySettings
from orchestrator.core.image import OCI_INDEX, OCI_MANIFEST, Descriptor, Document, sha256
from orchestrator.core.reference import Reference
from orchestrator.registry.client import RegistryClient
from orchestrator.registry.errors import DigestError, MalformedError, NotFoundError, RegistryError, TooLargeError
from orchestrator.registry.media import parse_index
from orchestrator.registry.wire import LIMITS
from tests.faults.proxy import Fault, FaultProxy
from tests.faults.registry_server import Login, Oddities, RegistryServer
from tests.registry.images import NAME, at, fill, make_client, make_image, pretty

IMAGE = make_image()
ODDITIES = [Oddities(), Oddities(digest_header=False), Oddities(head=False), Oddities(ranges=False)]
DIGEST = f"sha256:{'0' * 64}"


@pytest.mark.parametrize("oddities", ODDITIES)
def test_reading(oddities: Oddities) -> None:
    with RegistryServer(oddities) as server:
        fill(server, IMAGE)
        client, reference = make_client(), at(server.address)
        found = Descriptor(OCI_INDEX, IMAGE.digest, len(IMAGE.index))
        assert client.resolve(reference) == found
        assert client.resolve(reference.with_digest(IMAGE.digest)) == found
        assert client.manifest(reference) == Document(OCI_INDEX, IMAGE.index, IMAGE.digest)
        for digest, content in IMAGE.blobs.items():
            assert client.blob_size(reference, digest) == len(content)
            with client.blob(reference, digest) as stream:
                assert stream.read() == content


def test_requests_and_bytes_are_counted_exactly() -> None:
    with RegistryServer() as server:
        fill(server, IMAGE)
        client, reference = make_client(), at(server.address)
        client.resolve(reference)
        client.manifest(reference)
        with client.blob(reference, sha256(IMAGE.layer)) as stream:
            stream.read(10)
            stream.read()
        with pytest.raises(NotFoundError):
            client.blob_size(reference, DIGEST)
        assert client.traffic == (4, len(IMAGE.index) + len(IMAGE.layer))
        assert client.traffic.requests == len(server.seen)


def test_connections_are_used_again() -> None:
    with RegistryServer(Oddities(digest_header=False)) as server, FaultProxy(server.address) as proxy:
        fill(server, IMAGE)
        client, reference = make_client(), at(proxy.address)
        for _ in range(5):
            client.resolve(reference)
            client.manifest(reference)
            with pytest.raises(NotFoundError):
                client.manifest(reference.with_tag("none"))
            with client.blob(reference, sha256(IMAGE.layer)) as stream:
                stream.read()
        assert proxy.connections == 1


def test_all_six_types_are_accepted() -> None:
    with RegistryServer() as server:
        fill(server, IMAGE)
        make_client().manifest(at(server.address))
        assert len(server.seen[0].headers["accept"].split(",")) == 6


@pytest.mark.parametrize("tag", ["1", "latest"])
def test_what_is_not_there(tag: str) -> None:
    with RegistryServer() as server:
        client, reference = make_client(), at(server.address, tag)
        for ask in (client.resolve, client.manifest):
            with pytest.raises(NotFoundError, match=f"{NAME}:{tag} is not there") as caught:
                ask(reference)
            assert caught.value.exit_code is Exit.BAD
        with pytest.raises(NotFoundError):
            client.blob_size(reference, DIGEST)
        with pytest.raises(NotFoundError):
            client.blob(reference, DIGEST)
        assert not client.has_blob(reference, DIGEST)


def test_what_the_registry_says_is_told_without_control_characters() -> None:
    body = json.dumps({"errors": [{"code": "NAME_UNKNOWN", "message": "\x1b[31mno " + "x" * 1000}]}).encode()
    with (
        RegistryServer() as server,
        FaultProxy(server.address, Fault(status=404, body=body)) as proxy,
        pytest.raises(NotFoundError) as caught,
    ):
        make_client().manifest(at(proxy.address))
    assert "NAME_UNKNOWN [31mno xxx" in caught.value.message
    assert len(caught.value.message) < 300


def test_a_digest_is_no_path() -> None:
    with RegistryServer() as server:
        client = make_client()
        for digest in ("sha256:../../x", "nonsense", ""):
            with pytest.raises(NotFoundError, match="is not a digest"):
                client.blob_size(at(server.address), digest)
        assert server.seen == []


def test_content_of_another_digest_is_refused() -> None:
    with RegistryServer() as server, FaultProxy(server.address, Fault(method="GET", corrupt=True, times=9)) as proxy:
        fill(server, IMAGE)
        client, reference = make_client(), at(proxy.address)
        for wanted in (reference, reference.with_digest(IMAGE.digest)):
            with pytest.raises(DigestError, match="is not what its digest says") as caught:
                client.manifest(wanted)
            assert caught.value.exit_code is Exit.BAD


def test_a_wrong_digest_field_is_refused() -> None:
    with RegistryServer(Oddities(wrong_digest_header=True)) as server:
        fill(server, IMAGE)
        client, reference = make_client(), at(server.address)
        with pytest.raises(DigestError):
            client.manifest(reference)
        with pytest.raises(DigestError):
            client.resolve(reference.with_digest(IMAGE.digest))


def test_other_digest_algorithms() -> None:
    digest = f"sha512:{sha512(IMAGE.index).hexdigest()}"
    with RegistryServer(Oddities(digest_header=False)) as server:
        fill(server, IMAGE)
        server.put(NAME, digest, OCI_INDEX, IMAGE.index)
        found = make_client().manifest(at(server.address).with_digest(digest))
        assert (found.content, found.digest) == (IMAGE.index, digest)
        server.put(NAME, digest, OCI_INDEX, b"{}")
        with pytest.raises(DigestError):
            make_client().manifest(at(server.address).with_digest(digest))


@pytest.mark.parametrize("content_type", ["application/json", "text/plain; charset=utf-8"])
def test_a_vague_content_type(content_type: str) -> None:
    with RegistryServer(Oddities(content_type=content_type)) as server:
        fill(server, IMAGE)
        assert make_client().manifest(at(server.address)).media_type == OCI_INDEX


def test_a_server_that_is_no_registry() -> None:
    page = Fault(status=200, headers=(("Content-Type", "text/html"),), body=b"<html>sign in</html>", times=9)
    with RegistryServer() as server, FaultProxy(server.address, page) as proxy:
        for ask in (make_client().resolve, make_client().manifest):
            with pytest.raises(MalformedError, match="is no manifest"):
                ask(at(proxy.address))


@pytest.mark.parametrize("announced", [True, False])
def test_a_manifest_over_4_mib_is_refused(announced: bool) -> None:
    content = b"{" + b" " * LIMITS.manifest + b"}"
    fault = Fault(method="GET", strip=() if announced else ("Content-Length",))
    with RegistryServer() as server, FaultProxy(server.address, fault) as proxy:
        server.put(NAME, "1", OCI_INDEX, content)
        client = make_client()
        with pytest.raises(TooLargeError, match="4,194,304") as caught:
            client.manifest(at(proxy.address))
        assert caught.value.exit_code is Exit.BAD
        assert client.traffic.received_bytes <= LIMITS.manifest + 1024 * 1024


def test_tags_come_page_by_page() -> None:
    with RegistryServer(Oddities(page=2)) as server:
        for tag in ("a", "b", "c", "d", "e"):
            fill(server, IMAGE, tag)
        assert make_client().tags(at(server.address)) == ("a", "b", "c", "d", "e")
        assert server.count(path="/tags/list") == 3


def test_pages_of_another_host_are_not_followed() -> None:
    link = Fault(status=200, headers=(("Link", '<https://evil.example/tags>; rel="next"'),), body=b'{"tags": null}')
    with (
        RegistryServer() as server,
        FaultProxy(server.address, link) as proxy,
        pytest.raises(RegistryError, match="at another host"),
    ):
        make_client().tags(at(proxy.address))


def test_pages_without_end() -> None:
    link = Fault(status=200, headers=(("Link", f'</v2/{NAME}/tags/list>; rel="next"'),), body=b"{}", times=1000)
    with (
        RegistryServer() as server,
        FaultProxy(server.address, link) as proxy,
        pytest.raises(RegistryError, match="more than 200 pages"),
    ):
        make_client().tags(at(proxy.address))


@pytest.mark.parametrize("api", [True, False])
def test_referrers_by_the_api_or_the_tag_that_stands_in(api: bool) -> None:
    with RegistryServer(Oddities(referrers=api)) as server:
        fill(server, IMAGE)
        client, reference = make_client(), at(server.address)
        subject = {"mediaType": OCI_INDEX, "digest": IMAGE.digest, "size": len(IMAGE.index)}
        signature = Document.of(OCI_MANIFEST, pretty({"config": {}, "layers": [], "subject": subject}))
        assert client.referrers(reference, IMAGE.digest) == ()
        client.put_manifest(reference.with_tag("signature"), signature)
        entry = {"mediaType": OCI_MANIFEST, "digest": signature.digest, "size": len(signature.content)}
        if not api:
            index = Document.of(OCI_INDEX, pretty({"schemaVersion": 2, "manifests": [entry]}))
            client.put_manifest(reference.with_tag(IMAGE.digest.replace(":", "-")), index)
        (found,) = client.referrers(reference, IMAGE.digest)
        assert (found.digest, found.size) == (signature.digest, len(signature.content))


# Writing


@pytest.mark.parametrize("oddities", ODDITIES[:3])
def test_a_manifest_is_put_as_it_is(oddities: Oddities) -> None:
    with RegistryServer(oddities) as server:
        client, reference = make_client(), at(server.address)
        document = Document.of(OCI_INDEX, IMAGE.index)
        assert client.put_manifest(reference, document) == IMAGE.digest
        assert client.put_manifest(reference.with_digest(IMAGE.digest), document) == IMAGE.digest
        assert server.manifests[NAME]["1"] == (OCI_INDEX, IMAGE.index)


def test_a_manifest_of_another_digest_is_not_put() -> None:
    with RegistryServer() as server:
        with pytest.raises(DigestError):
            make_client().put_manifest(at(server.address).with_digest(DIGEST), Document.of(OCI_INDEX, b"{}"))
        assert server.seen == []


def test_a_registry_that_stores_something_else() -> None:
    fault = Fault(method="PUT", status=201, headers=(("Docker-Content-Digest", DIGEST),))
    with (
        RegistryServer() as server,
        FaultProxy(server.address, fault) as proxy,
        pytest.raises(DigestError, match="instead of"),
    ):
        make_client().put_manifest(at(proxy.address), Document.of(OCI_INDEX, b"{}"))


def test_a_put_whose_answer_is_lost_is_done_again() -> None:
    fault = Fault(method="PUT", reset=True, forward=True)
    with RegistryServer() as server, FaultProxy(server.address, fault) as proxy:
        client = make_client()
        assert client.put_manifest(at(proxy.address), Document.of(OCI_INDEX, IMAGE.index)) == IMAGE.digest
        assert server.count("PUT") == 2


def test_a_manifest_that_the_registry_refuses() -> None:
    body = json.dumps({"errors": [{"code": "MANIFEST_BLOB_UNKNOWN", "message": "blob unknown to registry"}]}).encode()
    fault = Fault(method="PUT", status=400, body=body)
    with RegistryServer() as server, FaultProxy(server.address, fault) as proxy:
        with pytest.raises(RegistryError, match="MANIFEST_BLOB_UNKNOWN blob unknown") as caught:
            make_client().put_manifest(at(proxy.address), Document.of(OCI_INDEX, b"{}"))
        assert caught.value.status == 400
        assert proxy.count("PUT") == 1


def test_deleting() -> None:
    with RegistryServer() as server:
        fill(server, IMAGE)
        client, reference = make_client(), at(server.address)
        client.delete_manifest(reference.with_digest(IMAGE.digest))
        for gone in (reference, reference.with_digest(IMAGE.digest)):
            with pytest.raises(NotFoundError):
                client.resolve(gone)
        with pytest.raises(NotFoundError):
            client.delete_manifest(reference)


def test_blobs_are_uploaded_once(tmp_path: Path) -> None:
    path = tmp_path / "blob"
    path.write_bytes(b"from a file" * 100_000)
    digest = sha256(path.read_bytes())
    with RegistryServer() as server:
        client, reference = make_client(), at(server.address)
        for _ in range(2):
            assert client.put_blob(reference, b"content") == sha256(b"content")
            client.put_file(reference, path, digest)
        assert server.count("PUT") == 2
        assert server.blobs == {sha256(b"content"): b"content", digest: path.read_bytes()}


def test_an_upload_that_breaks_off_starts_again(tmp_path: Path) -> None:
    path = tmp_path / "blob"
    path.write_bytes(b"from a file" * 100_000)
    faults = (Fault(method="POST", status=500), Fault(method="PUT", reset=True), Fault(method="PUT", status=503))
    with RegistryServer() as server, FaultProxy(server.address, *faults) as proxy:
        make_client().put_file(at(proxy.address), path, sha256(path.read_bytes()))
        assert server.blobs == {sha256(path.read_bytes()): path.read_bytes()}
        assert [seen.status for seen in proxy.seen if seen.method == "POST"] == [500, 202, 202, 202]


def test_a_file_of_another_digest_is_refused_by_the_registry(tmp_path: Path) -> None:
    (tmp_path / "blob").write_bytes(b"content")
    with RegistryServer() as server, pytest.raises(RegistryError, match="DIGEST_INVALID"):
        make_client().put_file(at(server.address), tmp_path / "blob", DIGEST)


def test_mounting() -> None:
    digest = sha256(IMAGE.layer)
    with RegistryServer() as server:
        fill(server, IMAGE)
        assert make_client().mount_blob(at(server.address, name="acme/new"), digest, at(server.address))
    with RegistryServer(Oddities(mounts=False)) as server:
        fill(server, IMAGE)
        assert not make_client().mount_blob(at(server.address, name="acme/new"), digest, at(server.address))
        assert [seen.method for seen in server.seen] == ["POST", "DELETE"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with RegistryServer() as server, pytest.raises(MabuildError, match="cannot be read: No such file"):
        make_client().put_file(at(server.address), tmp_path / "none", DIGEST)


# Mirrors


def test_a_mirror_answers_first() -> None:
    with RegistryServer() as server, RegistryServer() as mirror:
        fill(server, IMAGE)
        fill(mirror, IMAGE, name=f"proxy/{NAME}")
        client = make_client(RegistrySettings(server.address, mirrors=(f"{mirror.address}/proxy",)))
        assert client.manifest(at(server.address)).digest == IMAGE.digest
        with client.blob(at(server.address), sha256(IMAGE.layer)) as stream:
            assert stream.read() == IMAGE.layer
        assert server.seen == []
        assert all(seen.path.endswith(f"?ns={server.address}") for seen in mirror.seen)
        assert client.mirrors_used == (mirror.address,)


def test_a_mirror_without_the_image_is_passed_by_silently() -> None:
    warnings: list[str] = []
    with RegistryServer() as server, RegistryServer() as mirror:
        fill(server, IMAGE)
        client = make_client(RegistrySettings(server.address, mirrors=(mirror.address,)), warnings=warnings)
        assert client.manifest(at(server.address)).digest == IMAGE.digest
        assert (len(mirror.seen), warnings, client.mirrors_used) == (1, [], ())


@pytest.mark.parametrize(
    "fault", [Fault(status=503, times=99), Fault(corrupt=True, times=99), Fault(reset=True, times=99)]
)
def test_a_bad_mirror_is_told_once_and_no_longer_asked(fault: Fault) -> None:
    warnings: list[str] = []
    with RegistryServer() as server, FaultProxy(server.address, fault) as mirror:
        fill(server, IMAGE)
        client = make_client(RegistrySettings(server.address, mirrors=(mirror.address,)), warnings=warnings)
        for _ in range(3):
            assert client.manifest(at(server.address)).digest == IMAGE.digest
        assert len(mirror.seen) == 1
        assert len(warnings) == 1
        assert "is no longer asked in the place of" in warnings[0]


def test_tags_writing_and_what_is_being_moved_pass_mirrors_by() -> None:
    other = make_image(b"other")
    with RegistryServer() as server, RegistryServer() as mirror:
        fill(server, IMAGE)
        fill(mirror, other)
        client = make_client(RegistrySettings(server.address, mirrors=(mirror.address,)))
        reference = at(server.address)
        assert client.without_mirrors().resolve(reference).digest == IMAGE.digest
        client.tags(reference)
        client.referrers(reference, IMAGE.digest)
        client.put_manifest(reference, Document.of(OCI_INDEX, IMAGE.index))
        client.put_blob(reference, b"content")
        assert mirror.seen == []
        assert client.resolve(reference).digest == other.digest
        assert client.traffic.requests == len(server.seen) + 1


def test_many_threads_read_at_once() -> None:
    with RegistryServer() as server:
        fill(server, IMAGE)
        client, reference = make_client(), at(server.address)

        def read(_: int) -> bool:
            index = parse_index(client.manifest(reference))
            with client.blob(reference, sha256(IMAGE.layer)) as stream:
                client.manifest(reference.with_digest(index.manifests[0].digest))
                return stream.read() == IMAGE.layer

        with ThreadPoolExecutor(24) as pool:
            assert all(pool.map(read, range(96)))
        assert client.traffic.requests == len(server.seen) == 96 * 3


def test_a_host_is_not_asked_more_often_at_once_than_allowed() -> None:
    slow = Fault(delay=0.1, times=100)
    with RegistryServer() as server, FaultProxy(server.address, slow) as proxy:
        fill(server, IMAGE)
        client = make_client(limits=replace(LIMITS, at_once=3))
        with ThreadPoolExecutor(12) as pool:
            list(pool.map(lambda _: client.resolve(at(proxy.address)), range(12)))
        assert proxy.most_at_once == 3


# A real registry, and independent clients


@pytest.fixture
def real() -> Iterator[tuple[RegistryClient, Reference]]:
    client = make_client()
    yield client, Reference.parse(f"{os.environ['MABUILD_LAB_REGISTRY']}/tests/client:1")
    client.close()


def upload(client: RegistryClient, reference: Reference) -> None:
    for content in IMAGE.blobs.values():
        client.put_blob(reference, content)
    for content in IMAGE.manifests:
        manifest = Document.of(OCI_MANIFEST, content)
        client.put_manifest(reference.with_digest(manifest.digest), manifest)
    client.put_manifest(reference, Document.of(OCI_INDEX, IMAGE.index))


@pytest.mark.real
def test_what_is_put_is_what_others_see(real: tuple[RegistryClient, Reference]) -> None:
    client, reference = real
    upload(client, reference)
    seen = subprocess.run(["crane", "manifest", str(reference)], check=True, capture_output=True, timeout=60).stdout
    assert seen.strip() == IMAGE.index
    assert "1" in client.tags(reference)
    assert client.resolve(reference) == Descriptor(OCI_INDEX, IMAGE.digest, len(IMAGE.index))
    assert client.referrers(reference, IMAGE.digest) == ()


@pytest.mark.real
def test_blobs_are_mounted_and_manifests_deleted(real: tuple[RegistryClient, Reference]) -> None:
    client, reference = real
    upload(client, reference)
    other = replace(reference, repository="tests/mounted")
    for digest in IMAGE.blobs:
        assert client.mount_blob(other, digest, reference)
        assert client.has_blob(other, digest)
    manifest = Document.of(OCI_MANIFEST, IMAGE.manifests[0])
    client.put_manifest(other, manifest)
    client.delete_manifest(other.with_digest(manifest.digest))
    with pytest.raises(NotFoundError):
        client.resolve(other)


@pytest.mark.real
def test_an_index_of_missing_images_is_refused(real: tuple[RegistryClient, Reference]) -> None:
    client, reference = real
    index = pretty({"schemaVersion": 2, "manifests": [{"mediaType": OCI_MANIFEST, "digest": DIGEST, "size": 7}]})
    with pytest.raises(RegistryError, match="MANIFEST_BLOB_UNKNOWN"):
        client.put_manifest(replace(reference, repository="tests/none"), Document.of(OCI_INDEX, index))


@pytest.mark.real
@pytest.mark.parametrize("scheme", ["basic", "bearer"])
def test_the_server_of_these_tests_is_a_registry_to_others(scheme: str, tmp_path: Path) -> None:
    with RegistryServer(login=Login(scheme, "me", "hidden")) as server:
        fill(server, IMAGE)
        environment = {**os.environ, "DOCKER_CONFIG": str(tmp_path)}
        login = ["crane", "auth", "login", server.address, "--username", "me", "--password-stdin"]
        subprocess.run(login, check=True, input=b"hidden", env=environment, timeout=60)
        command = ["crane", "digest", str(at(server.address))]
        seen = subprocess.run(command, check=True, capture_output=True, env=environment, timeout=60)
        assert seen.stdout.decode().strip() == IMAGE.digest
        client = make_client(environment={"DOCKER_CONFIG": str(tmp_path), "HOME": "/nonexistent"})
        assert client.manifest(at(server.address)).digest == IMAGE.digest
