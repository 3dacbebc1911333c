"""Whether anybody listens at a node's address."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from orchestrator.buildx.reach import why_unreachable


def test_a_socket_that_listens_is_reachable(tmp_path: Path) -> None:
    path = tmp_path / "node.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        assert why_unreachable(f"unix://{path}") == ""
    assert why_unreachable(f"unix://{path}") == f"unix://{path}: connection refused"
    assert why_unreachable(f"unix://{path}x") == f"unix://{path}x: no such file or directory"


def test_a_port_that_listens_is_reachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert why_unreachable(f"tcp://127.0.0.1:{port}") == ""
    assert why_unreachable(f"tcp://127.0.0.1:{port}") == f"tcp://127.0.0.1:{port}: connection refused"


@pytest.mark.parametrize("endpoint", ["tcp://127.0.0.1:99999", "tcp://[::1"])
def test_an_address_that_is_none_is_told(endpoint: str) -> None:
    assert "is no address" in why_unreachable(endpoint)


def test_a_host_that_has_no_name_is_told() -> None:
    assert "tcp://node.invalid:1:" in why_unreachable("tcp://node.invalid:1")


@pytest.mark.parametrize("endpoint", ["ssh://me@mac", "docker-container://x", "npipe:////./pipe/docker_engine", ""])
def test_what_only_docker_can_reach_is_left_to_it(endpoint: str) -> None:
    assert why_unreachable(endpoint) == ""
