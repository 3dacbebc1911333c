"""Retries, busy registries, broken connections and redirects, over real HTTP with scripted faults."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from email.utils import formatdate

import pytest

from orchestrator.core.errors import Exit
from orchestrator.core.fleet import RegistrySettings
from orchestrator.core.image import sha256
from orchestrator.core.reference import Reference
from orchestrator.registry.errors import NotFoundError, RateLimitedError, RegistryError
from orchestrator.registry.wire import LIMITS
from tests.faults.proxy import Fault, FaultProxy
from tests.faults.registry_server import RegistryServer
from tests.registry.images import Pauses, at, fill, make_client, make_image

IMAGE = make_image()
NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    "fault",
    [
        *(Fault(status=status, times=3) for status in (408, 429, 500, 502, 503, 504)),
        Fault(reset=True, times=3),
        Fault(method="GET", truncate=20, times=3),
    ],
    ids=lambda fault: f"{fault.status or 'broken'}",
)
def test_what_passes_is_tried_again(fault: Fault) -> None:
    pauses = Pauses()
    with RegistryServer() as server, FaultProxy(server.address, fault) as proxy:
        fill(server, IMAGE)
        assert make_client(pauses=pauses).manifest(at(proxy.address)).digest == IMAGE.digest
        assert len(proxy.seen) == 4


@pytest.mark.parametrize("status", [400, 404, 405, 410, 418, 501])
def test_what_stays_is_not(status: int) -> None:
    pauses = Pauses()
    with RegistryServer() as server, FaultProxy(server.address, Fault(status=status, times=9)) as proxy:
        with pytest.raises((RegistryError, NotFoundError)):
            make_client(pauses=pauses).manifest(at(proxy.address))
        assert (len(proxy.seen), pauses.seconds) == (1, [])


def test_in_the_end_the_error_is_told() -> None:
    with RegistryServer() as server, FaultProxy(server.address, Fault(status=502, times=9)) as proxy:
        with pytest.raises(RegistryError, match="answers 502 to GET") as caught:
            make_client().manifest(at(proxy.address))
        assert caught.value.exit_code is Exit.UNREACHABLE
        assert len(proxy.seen) == 4


@pytest.mark.parametrize("field", ["7", formatdate(NOW + 7, usegmt=True)])
@pytest.mark.parametrize("status", [429, 503])
def test_the_registry_says_how_long_to_wait(field: str, status: int) -> None:
    pauses = Pauses()
    fault = Fault(status=status, headers=(("Retry-After", field),))
    with RegistryServer() as server, FaultProxy(server.address, fault) as proxy:
        fill(server, IMAGE)
        make_client(pauses=pauses).manifest(at(proxy.address))
        assert sum(pauses.seconds) == pytest.approx(7, abs=0.01)


def test_nobody_waits_for_hours() -> None:
    pauses = Pauses()
    fault = Fault(status=429, headers=(("Retry-After", "21600"),), times=9)
    with RegistryServer() as server, FaultProxy(server.address, fault) as proxy:
        client = make_client(pauses=pauses)
        for _ in range(2):
            with pytest.raises(RateLimitedError, match="had too many requests") as caught:
                client.manifest(at(proxy.address))
            assert caught.value.exit_code is Exit.UNREACHABLE
        assert (len(proxy.seen), pauses.seconds) == (1, [])


def test_a_busy_registry_is_left_alone_by_all_threads() -> None:
    pauses = Pauses()
    fault = Fault(status=429, headers=(("Retry-After", "30"),))
    with RegistryServer() as server, FaultProxy(server.address, fault) as proxy:
        fill(server, IMAGE)
        client = make_client(pauses=pauses)
        with pytest.raises(NotFoundError):
            client.manifest(at(proxy.address, "none"))
        assert sum(pauses.seconds) == pytest.approx(30, abs=0.01)
        pauses.seconds.clear()
        proxy.add(fault)
        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(lambda _: client.manifest(at(proxy.address)).digest == IMAGE.digest, range(4)))
        assert proxy.count() == 2 + 1 + 4
        assert max(pauses.seconds) == pytest.approx(30, abs=0.01)


def test_other_hosts_are_not_slowed_down() -> None:
    pauses = Pauses()
    fault = Fault(status=429, headers=(("Retry-After", "10000"),))
    with RegistryServer() as server, RegistryServer() as other, FaultProxy(server.address, fault) as proxy:
        fill(other, IMAGE)
        client = make_client(pauses=pauses)
        with pytest.raises(RateLimitedError):
            client.manifest(at(proxy.address))
        assert client.manifest(at(other.address)).digest == IMAGE.digest
        assert pauses.seconds == []


def test_nobody_listens() -> None:
    with RegistryServer() as server:
        address = server.address
    pauses = Pauses()
    client = make_client(pauses=pauses)
    with pytest.raises(RegistryError, match="refuses connections") as caught:
        client.manifest(at(address))
    assert caught.value.exit_code is Exit.UNREACHABLE
    assert len(pauses.seconds) == 3
    assert client.traffic.requests == 0


def test_a_name_that_does_not_exist() -> None:
    with pytest.raises(RegistryError, match=r"the name no-such-host\.invalid cannot be resolved"):
        make_client().manifest(Reference.parse("no-such-host.invalid/acme/api:1"))


def test_a_silent_server() -> None:
    limits = replace(LIMITS, silence=0.2)
    with (
        RegistryServer() as server,
        FaultProxy(server.address, Fault(delay=1, times=9)) as proxy,
        pytest.raises(RegistryError, match="does not answer in time"),
    ):
        make_client(limits=limits).manifest(at(proxy.address))


def test_a_server_that_speaks_no_tls() -> None:
    with RegistryServer() as server:
        client = make_client(RegistrySettings(server.address, insecure=True))
        with pytest.raises(RegistryError, match="does not speak TLS") as caught:
            client.manifest(at(server.address))
        assert "http: true" in caught.value.hint


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed(status: int) -> None:
    with RegistryServer() as server, FaultProxy(server.address) as proxy:
        fill(server, IMAGE)
        path = f"/v2/acme/api/blobs/{sha256(IMAGE.layer)}"
        proxy.add(Fault(status=status, headers=(("Location", path),), body=b"moved"))
        proxy.add(Fault(status=status, headers=(("Location", f"http://{server.address}{path}"),)))
        client = make_client()
        with client.blob(at(proxy.address), sha256(IMAGE.layer)) as stream:
            assert stream.read() == IMAGE.layer
        assert client.traffic == (3, len(IMAGE.layer) + 5)


def test_redirects_without_end() -> None:
    fault = Fault(status=302, headers=(("Location", "/v2/x"),), times=99)
    with (
        RegistryServer() as server,
        FaultProxy(server.address, fault) as proxy,
        pytest.raises(RegistryError, match="redirects more than 5 times"),
    ):
        make_client().manifest(at(proxy.address))


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://x/y", "gopher:x", "http://[bad"])
def test_redirects_to_nowhere(location: str) -> None:
    fault = Fault(status=302, headers=(("Location", location),))
    with (
        RegistryServer() as server,
        FaultProxy(server.address, fault) as proxy,
        pytest.raises(RegistryError, match=r"which is refused|an address that is none"),
    ):
        make_client().manifest(at(proxy.address))


def test_a_proxy_of_the_environment_is_used() -> None:
    with RegistryServer() as server, FaultProxy(server.address) as proxy:
        fill(server, IMAGE)
        environment = {"HOME": "/nonexistent", "http_proxy": f"http://me:hidden@{proxy.address}"}
        client = make_client(RegistrySettings("r.test:5000", http=True), environment=environment)
        assert client.manifest(at("r.test:5000")).digest == IMAGE.digest
        (seen,) = proxy.seen
        assert seen.path.startswith("http://r.test:5000/v2/")
        assert seen.headers["proxy-authorization"].startswith("Basic ")


def test_nothing_is_sent_through_a_proxy_that_is_not_there() -> None:
    environment = {"HOME": "/nonexistent", "https_proxy": "http://127.0.0.1:9"}
    with pytest.raises(RegistryError, match=r"the proxy before ghcr\.io does not answer"):
        make_client(environment=environment).manifest(Reference.parse("ghcr.io/acme/api:1"))
