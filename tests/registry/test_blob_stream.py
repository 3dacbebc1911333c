"""Blobs whose connection breaks off, over real HTTP."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from orchestrator.core.image import sha256
from orchestrator.registry.clock import CLOCK, Clock
from orchestrator.registry.errors import NotFoundError, RegistryError
from orchestrator.registry.wire import LIMITS
from tests.faults.proxy import Fault, FaultProxy
from tests.faults.registry_server import Oddities, RegistryServer
from tests.registry.images import Pauses, at, make_client

CONTENT = random.Random(1).randbytes(1_000_000)
DIGEST = sha256(CONTENT)


class RealTime(Pauses):
    """Time as it is."""

    def clock(self) -> Clock:
        return CLOCK


def read(address: str, size: int = 100_000) -> tuple[bytes, Pauses]:
    pauses = Pauses()
    client = make_client(pauses=pauses)
    pieces = []
    with client.blob(at(address), DIGEST) as stream:
        while piece := stream.read(size):
            pieces.append(piece)
    return b"".join(pieces), pauses


@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("cut", [0, 1, 65_536, 999_999])
def test_it_goes_on_where_it_was(cut: int, ranges: bool) -> None:
    fault = Fault(path="/blobs/", truncate=cut)
    with RegistryServer(Oddities(ranges=ranges)) as server, FaultProxy(server.address, fault) as proxy:
        server.blobs[DIGEST] = CONTENT
        content, _ = read(proxy.address)
        assert content == CONTENT
        assert len(proxy.seen) == 2
        # What was on the way when the connection broke may be lost as well.
        asked = proxy.seen[1].headers.get("range", "bytes=0-")
        assert int(asked.removeprefix("bytes=").removesuffix("-")) <= cut
        assert server.count() == 2


def test_what_came_is_not_asked_for_again() -> None:
    with RegistryServer() as server, FaultProxy(server.address, Fault(truncate=500_000, gently=True)) as proxy:
        server.blobs[DIGEST] = CONTENT
        assert read(proxy.address)[0] == CONTENT
        assert proxy.seen[1].headers["range"] == "bytes=500000-"


def test_it_goes_on_many_times() -> None:
    fault = Fault(path="/blobs/", truncate=90_000, times=11)
    with RegistryServer() as server, FaultProxy(server.address, fault) as proxy:
        server.blobs[DIGEST] = CONTENT
        assert read(proxy.address)[0] == CONTENT
        assert len(proxy.seen) == 12


def test_but_not_for_ever() -> None:
    fault = Fault(path="/blobs/", truncate=0, times=1000)
    with RegistryServer() as server, FaultProxy(server.address, fault) as proxy:
        server.blobs[DIGEST] = CONTENT
        with pytest.raises(RegistryError, match="broke the connection off"):
            read(proxy.address)
        assert len(proxy.seen) == 21


def test_continuing_passes_a_busy_moment() -> None:
    faults = (Fault(truncate=1000), Fault(status=429, headers=(("Retry-After", "9"),)))
    with RegistryServer() as server, FaultProxy(server.address, *faults) as proxy:
        server.blobs[DIGEST] = CONTENT
        content, pauses = read(proxy.address)
        assert content == CONTENT
        assert 9 <= sum(pauses.seconds) < 10


@pytest.mark.parametrize("field", ["bytes 5000-9999/1000000", "nonsense"])
def test_continuing_at_another_place_is_refused(field: str) -> None:
    faults = (Fault(truncate=1000), Fault(status=206, headers=(("Content-Range", field),), body=b"x" * 100))
    with RegistryServer() as server, FaultProxy(server.address, *faults) as proxy:
        server.blobs[DIGEST] = CONTENT
        with pytest.raises(RegistryError, match="at another place than asked"):
            read(proxy.address)


def test_a_blob_that_vanishes_meanwhile() -> None:
    with RegistryServer() as server, FaultProxy(server.address, Fault(truncate=10), Fault(status=404)) as proxy:
        server.blobs[DIGEST] = CONTENT
        with pytest.raises(NotFoundError, match="is not there"):
            read(proxy.address)


def test_a_body_without_length_ends_where_it_ends() -> None:
    with RegistryServer() as server, FaultProxy(server.address, Fault(strip=("Content-Length",))) as proxy:
        server.blobs[DIGEST] = CONTENT
        assert read(proxy.address)[0] == CONTENT


def test_reads_of_every_size() -> None:
    with RegistryServer() as server:
        server.blobs[DIGEST] = CONTENT
        for size in (1, 7, 4096, 2_000_000):
            with make_client().blob(at(server.address), DIGEST) as stream:
                assert stream.read(size) == CONTENT[:size]
        with make_client().blob(at(server.address), DIGEST) as stream:
            assert stream.read() == CONTENT


def test_a_blob_that_is_not_read_to_its_end_can_be_closed() -> None:
    with RegistryServer() as server:
        server.blobs[DIGEST] = CONTENT
        client = make_client(limits=replace(LIMITS, at_once=1))
        for _ in range(3):
            with client.blob(at(server.address), DIGEST) as stream:
                assert stream.read(10) == CONTENT[:10]
        assert client.traffic.requests == 3


def test_a_blob_that_comes_too_slowly() -> None:
    fault = Fault(path="/blobs/", drip=0.05, times=9)
    with RegistryServer() as server, FaultProxy(server.address, fault) as proxy:
        server.blobs[DIGEST] = CONTENT
        client = make_client(limits=replace(LIMITS, blob=0.3), pauses=RealTime())
        with client.blob(at(proxy.address), DIGEST) as stream, pytest.raises(RegistryError, match="comes too slowly"):
            stream.read()
