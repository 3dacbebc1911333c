"""Whether anybody listens at a node's address."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from orchestrator.buildx.reach import why_unreachable
from orchestrator.core.fleet import NodeSpec


def _why(endpoint: str, driver: str = "remote") -> str:
    return why_unreachable(NodeSpec("n", driver, endpoint))


def test_a_socket_that_listens_is_reachable(tmp_path: Path) -> None:
    path = tmp_path / "node.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        assert _why(f"unix://{path}") == ""
    assert _why(f"unix://{path}") == f"unix://{path}: connection refused"
    assert _why(f"unix://{path}x") == f"unix://{path}x: no such file or directory"


def test_a_port_that_listens_is_reachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert _why(f"tcp://127.0.0.1:{port}") == ""
    assert _why(f"tcp://127.0.0.1:{port}") == f"tcp://127.0.0.1:{port}: connection refused"


@pytest.mark.parametrize("endpoint", ["tcp://127.0.0.1:99999", "tcp://[::1"])
def test_an_address_that_is_none_is_told(endpoint: str) -> None:
    assert "is none" in _why(endpoint)


def test_a_host_that_has_no_name_is_told() -> None:
    assert "tcp://node.invalid:1:" in _why("tcp://node.invalid:1")


@pytest.mark.parametrize(
    ("endpoint", "driver"), [("ssh://me@mac", "docker-container"), ("docker-container://x", "remote")]
)
def test_what_only_buildx_can_reach_is_left_to_it(endpoint: str, driver: str) -> None:
    assert _why(endpoint, driver) == ""
