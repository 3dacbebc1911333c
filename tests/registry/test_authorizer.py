"""Logins against a real HTTP server that wants them."""

from __future__ import annotations

import base64
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from orchestrator.core.errors import Exit
from orchestrator.core.image import OCI_MANIFEST, Document
from orchestrator.core.reference import Reference
from orchestrator.registry.authorizer import check_realm
from orchestrator.registry.errors import LoginError, RegistryError
from orchestrator.registry.hosts import Endpoint
from tests.faults.proxy import Fault, FaultProxy
from tests.faults.registry_server import Login, Oddities, RegistryServer
from tests.registry.images import NAME, Pauses, at, fill, make_client, make_image

IMAGE = make_image()
USER = Login("bearer", "me", "hidden")


def config(address: str, **entry: str) -> dict[str, str]:
    return {"HOME": "/nonexistent", "DOCKER_AUTH_CONFIG": json.dumps({"auths": {address: entry}})}


def password(address: str, user: str = "me", word: str = "hidden") -> dict[str, str]:
    return config(address, auth=base64.b64encode(f"{user}:{word}".encode()).decode())


def test_anonymous_tokens() -> None:
    with RegistryServer(login=Login("bearer")) as server:
        fill(server, IMAGE)
        client = make_client()
        assert client.manifest(at(server.address)).digest == IMAGE.digest
        assert client.traffic.requests == 3


def test_one_of_several_challenges_is_answered() -> None:
    with RegistryServer(Oddities(many_challenges=True), login=USER) as server:
        fill(server, IMAGE)
        client = make_client(environment=password(server.address))
        assert client.manifest(at(server.address)).digest == IMAGE.digest
        assert list(server.tokens.values()) == [f"repository:{NAME}:pull repository:other:pull"]


def test_one_token_for_a_repository_and_no_second_challenge() -> None:
    with RegistryServer(login=USER) as server:
        fill(server, IMAGE)
        fill(server, IMAGE, name="acme/other")
        client = make_client(environment=password(server.address))
        for name in (NAME, NAME, "acme/other", "acme/other"):
            client.resolve(at(server.address, name=name))
        assert server.count(path="/token") == 2
        assert len(server.seen) == 1 + 2 + 4
        assert client.traffic.requests == len(server.seen)


def test_threads_share_one_token() -> None:
    with RegistryServer(login=USER) as server:
        fill(server, IMAGE)
        client = make_client(environment=password(server.address))
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda _: client.manifest(at(server.address)).digest, range(24)))
        assert set(found) == {IMAGE.digest}
        assert server.count(path="/token") == 1


def test_reading_and_writing_take_tokens_of_their_own() -> None:
    with RegistryServer(login=USER) as server:
        fill(server, IMAGE)
        client = make_client(environment=password(server.address))
        client.resolve(at(server.address))
        client.put_manifest(at(server.address, "2"), Document.of(OCI_MANIFEST, IMAGE.manifests[0]))
        client.delete_manifest(at(server.address, "2"))
        assert sorted(server.tokens.values()) == [
            f"repository:{NAME}:{actions}" for actions in ("delete", "pull", "pull,push")
        ]


def test_mounting_asks_to_read_the_other_repository() -> None:
    with RegistryServer(login=USER) as server:
        fill(server, IMAGE)
        client = make_client(environment=password(server.address))
        digest = next(iter(IMAGE.blobs))
        assert client.mount_blob(at(server.address, name="acme/new"), digest, at(server.address))
        (scope,) = server.tokens.values()
        assert f"repository:{NAME}:pull" in scope.split()


def test_tokens_are_renewed_before_they_run_out() -> None:
    pauses = Pauses()
    with RegistryServer(login=Login("bearer", "me", "hidden", expires_in=100)) as server:
        fill(server, IMAGE)
        client = make_client(environment=password(server.address), pauses=pauses)
        client.resolve(at(server.address))
        pauses.passed += 80
        client.resolve(at(server.address))
        assert server.count(path="/token") == 1
        pauses.passed += 15
        client.resolve(at(server.address))
        assert server.count(path="/token") == 2
        assert server.count("HEAD") == 4


def test_a_token_without_life_lives_a_minute() -> None:
    pauses = Pauses()
    with RegistryServer(login=Login("bearer", expires_in=None)) as server:
        fill(server, IMAGE)
        client = make_client(pauses=pauses)
        client.resolve(at(server.address))
        pauses.passed += 40
        client.resolve(at(server.address))
        pauses.passed += 20
        client.resolve(at(server.address))
        assert server.count(path="/token") == 2


def test_a_token_that_is_no_longer_good_is_replaced() -> None:
    with RegistryServer(login=USER) as server:
        fill(server, IMAGE)
        client = make_client(environment=password(server.address))
        client.resolve(at(server.address))
        server.revoke()
        assert client.manifest(at(server.address)).digest == IMAGE.digest
        assert server.count(path="/token") == 2


def test_basic_logins_are_sent_at_once_the_second_time() -> None:
    with RegistryServer(login=Login("basic", "me", "hidden")) as server:
        fill(server, IMAGE)
        client = make_client(environment=password(server.address))
        client.resolve(at(server.address))
        client.resolve(at(server.address))
        assert [bool(seen.headers.get("authorization")) for seen in server.seen] == [False, True, True]


def test_identity_tokens_are_exchanged_by_post() -> None:
    with RegistryServer(login=Login("bearer", identity="refresh")) as server:
        fill(server, IMAGE)
        client = make_client(environment=config(server.address, identitytoken="refresh"))
        assert client.resolve(at(server.address)).digest == IMAGE.digest
        (asked,) = [seen for seen in server.seen if seen.path == "/token"]
        assert asked.method == "POST"
        assert b"grant_type=refresh_token" in asked.body


def test_a_server_without_post_is_asked_by_get() -> None:
    with RegistryServer(login=Login("bearer", "<token>", "refresh", has_post=False)) as server:
        fill(server, IMAGE)
        client = make_client(environment=config(server.address, identitytoken="refresh"))
        assert client.resolve(at(server.address)).digest == IMAGE.digest


def test_a_registry_token_is_sent_as_it_is() -> None:
    with RegistryServer(login=Login("bearer", "nobody", "else")) as server:
        fill(server, IMAGE)
        server.tokens["ready"] = f"repository:{NAME}:pull"
        client = make_client(environment=config(server.address, registrytoken="ready"))
        assert client.resolve(at(server.address)).digest == IMAGE.digest
        assert server.count(path="/token") == 0


@pytest.mark.parametrize("scheme", ["basic", "bearer"])
def test_no_login_where_one_is_needed(scheme: str) -> None:
    with RegistryServer(login=Login(scheme, "me", "hidden")) as server, pytest.raises(LoginError) as caught:
        make_client().manifest(at(server.address))
    error = caught.value
    assert f"{server.address} asks for a login for {NAME}" in error.message
    assert error.hint == f"docker login {server.address}"
    assert error.exit_code is Exit.UNREACHABLE
    assert error.status == 401


@pytest.mark.parametrize("scheme", ["basic", "bearer"])
def test_a_wrong_login_is_told_without_its_secret(scheme: str) -> None:
    with RegistryServer(login=Login(scheme, "me", "hidden")) as server:
        client = make_client(environment=password(server.address, "me", "outdated"))
        with pytest.raises(LoginError) as caught:
            client.manifest(at(server.address))
        assert server.count() <= 3
    text = f"{caught.value.message} {caught.value.hint} {caught.value!r}"
    assert "refuses the login of me from DOCKER_AUTH_CONFIG" in text
    assert "outdated" not in text


def test_a_login_that_may_not_do_it() -> None:
    with (
        RegistryServer(login=USER) as server,
        FaultProxy(server.address, Fault(method="PUT", status=403, times=9)) as proxy,
    ):
        client = make_client(environment=password(proxy.address))
        with pytest.raises(LoginError, match=r"\(pull,push, 403\)") as caught:
            client.put_manifest(at(proxy.address), Document.of(OCI_MANIFEST, b"{}"))
        assert "may pull and push" in caught.value.hint


def test_a_refusal_without_a_known_challenge() -> None:
    with (
        RegistryServer() as server,
        FaultProxy(server.address, Fault(status=401)) as proxy,
        pytest.raises(LoginError, match="without saying how to log in"),
    ):
        make_client().resolve(at(proxy.address))


def test_the_token_server_may_be_busy_once() -> None:
    pauses = Pauses()
    with RegistryServer(login=Login("bearer")) as server, FaultProxy(server.address, Fault(status=503)) as proxy:
        fill(server, IMAGE)
        server.login = Login("bearer", realm=f"http://{proxy.address}/token")
        assert make_client(pauses=pauses).resolve(at(server.address)).digest == IMAGE.digest
        assert len(pauses.seconds) == 1


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"token": 5}', b'{"token": "a\\nb"}', b"[" * 100_000])
def test_answers_without_a_token(body: bytes) -> None:
    fault = Fault(path="/token", status=200, body=body)
    with RegistryServer(login=Login("bearer")) as server, FaultProxy(server.address, fault) as proxy:
        server.login = Login("bearer", realm=f"http://{proxy.address}/token")
        with pytest.raises(RegistryError, match="token server"):
            make_client().resolve(at(server.address))


HTTPS = Endpoint("r.example", "https", "r.example")
PRIVATE = Endpoint("10.0.0.1:5000", "https", "10.0.0.1:5000")
HTTP = Endpoint("r.test:5000", "http", "r.test:5000")


@pytest.mark.parametrize(
    ("realm", "endpoint"),
    [
        ("https://auth.example/token", HTTPS),
        ("https://10.0.0.1/token", PRIVATE),
        ("http://r.test:5001/token", HTTP),
        ("https://auth.example/token", HTTP),
        ("http://127.0.0.1:6/token", Endpoint("127.0.0.1:5", "http", "127.0.0.1:5")),
    ],
)
def test_realms_that_get_the_login(realm: str, endpoint: Endpoint) -> None:
    check_realm(realm, endpoint)


@pytest.mark.parametrize(
    ("realm", "endpoint"),
    [
        ("", HTTPS),
        ("http://auth.example/token", HTTPS),
        ("file:///etc/passwd", HTTP),
        ("https://169.254.169.254/latest", HTTPS),
        ("https://localhost/token", HTTPS),
        ("https://[::1]/token", HTTPS),
        ("https://10.0.0.2/token", PRIVATE),
        ("https://r.example@evil.example/token", HTTPS),
        ("http://127.0.0.1/token", HTTP),
        ("https://2130706433/token", HTTPS),
        ("//auth.example/token", HTTPS),
    ],
)
def test_realms_that_do_not(realm: str, endpoint: Endpoint) -> None:
    with pytest.raises(LoginError, match="no login is sent to"):
        check_realm(realm, endpoint)


def test_a_realm_that_is_no_address() -> None:
    with pytest.raises(RegistryError, match="an address that is none"):
        check_realm("https://[bad", HTTPS)


def test_a_redirect_takes_no_login_along() -> None:
    with RegistryServer() as storage, RegistryServer(Oddities(blobs_at=storage.address), login=USER) as server:
        fill(server, IMAGE)
        storage.blobs.update(IMAGE.blobs)
        client = make_client(environment=password(server.address))
        digest = next(iter(IMAGE.blobs))
        with client.blob(at(server.address), digest) as stream:
            assert stream.read() == IMAGE.blobs[digest]
        assert any("authorization" in seen.headers for seen in server.seen)
        assert storage.seen
        assert all("authorization" not in seen.headers for seen in storage.seen)


def test_a_storage_gets_no_answer_to_a_challenge_of_its_own() -> None:
    storage_login = Login("basic", "me", "hidden")
    with (
        RegistryServer(login=storage_login) as storage,
        RegistryServer(Oddities(blobs_at=storage.address), login=USER) as server,
    ):
        fill(server, IMAGE)
        client = make_client(environment=password(server.address))
        with pytest.raises(RegistryError, match=f"{storage.address} answers 401"):
            client.blob(at(server.address), next(iter(IMAGE.blobs))).__enter__()
        assert all("authorization" not in seen.headers for seen in storage.seen)


def test_another_upload_address_gets_no_login() -> None:
    with RegistryServer() as storage, RegistryServer(login=USER) as server:
        location = (("Location", f"http://{storage.address}/v2/{NAME}/blobs/uploads/x?_state=1"),)
        fault = Fault(method="POST", status=202, headers=location)
        with FaultProxy(server.address, fault) as proxy:
            client = make_client(environment=password(proxy.address))
            client.put_blob(Reference.parse(f"{proxy.address}/{NAME}"), b"content")
        assert storage.count("PUT") == 1
        assert all("authorization" not in seen.headers for seen in storage.seen)
