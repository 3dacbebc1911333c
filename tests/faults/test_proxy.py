"""The proxy itself: what tests of publishing rely on."""

from __future__ import annotations

import os
import socket
import subprocess
from http.client import HTTPConnection
from pathlib import Path

import pytest

from orchestrator.core.image import OCI_INDEX
from tests.faults.proxy import Fault, FaultProxy
from tests.faults.registry_server import RegistryServer

CONTENT = b"{}"


def test_a_tls_greeting_gets_an_http_line() -> None:
    with RegistryServer() as server, FaultProxy(server.address) as proxy:
        host, _, port = proxy.address.partition(":")
        with socket.create_connection((host, int(port)), timeout=5) as connection:
            connection.sendall(b"\x16\x03\x01\x00\x05hello")
            assert connection.recv(100).startswith(b"HTTP/")


def test_bodies_in_chunks_arrive_whole() -> None:
    with RegistryServer() as server, FaultProxy(server.address) as proxy:
        connection = HTTPConnection(proxy.address, timeout=5)
        connection.request("PUT", "/v2/a/manifests/1", body=iter([b"{", b"}"]), headers={"Content-Type": OCI_INDEX})
        assert connection.getresponse().status == 201
        connection.close()
        assert server.manifests["a"]["1"] == (OCI_INDEX, CONTENT)


def test_faults_happen_in_order_and_as_often_as_said() -> None:
    faults = (Fault(method="GET", after=1, status=500), Fault(path="/b/", status=404, times=2))
    with RegistryServer() as server, FaultProxy(server.address, *faults) as proxy:
        for name in ("a", "b"):
            server.put(name, "1", OCI_INDEX, CONTENT)
        assert [status(proxy, name) for name in ("a", "a", "b", "b", "b")] == [200, 500, 404, 404, 200]
        assert [seen.status for seen in proxy.seen] == [200, 500, 404, 404, 200]


def status(proxy: FaultProxy, name: str) -> int:
    connection = HTTPConnection(proxy.address, timeout=5)
    connection.request("GET", f"/v2/{name}/manifests/1")
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def test_a_lost_answer_was_a_request_that_arrived() -> None:
    fault = Fault(method="PUT", status=500, forward=True)
    with RegistryServer() as server, FaultProxy(server.address, fault) as proxy:
        connection = HTTPConnection(proxy.address, timeout=5)
        connection.request("PUT", "/v2/a/manifests/1", body=CONTENT)
        assert connection.getresponse().status == 500
        connection.close()
        assert "1" in server.manifests["a"]


@pytest.mark.real
def test_buildx_pushes_through_it(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM scratch\nCOPY Dockerfile /\n")
    fault = Fault(method="HEAD", path="/blobs/", status=503)
    with FaultProxy(os.environ["MABUILD_LAB_REGISTRY"], fault) as proxy:
        tag = f"{proxy.address.replace('127.0.0.1', 'localhost')}/tests/proxied:1"
        command = ["docker", "buildx", "build", "--quiet", "--push", "--tag", tag, str(tmp_path)]
        subprocess.run(command, check=True, timeout=120, capture_output=True)
        assert proxy.count("PUT", "/manifests/") >= 1
