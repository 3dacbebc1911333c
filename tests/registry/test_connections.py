from __future__ import annotations

import socket
import time
from contextlib import suppress
from threading import Thread

import pytest

from orchestrator.registry import connections
from orchestrator.registry.errors import RegistryError
from tests.registry.images import at, make_client


def drip(listener: socket.socket) -> None:
    """Answer every connection with a head that never ends."""
    with suppress(OSError):
        while True:
            connection, _ = listener.accept()
            with connection, suppress(OSError):
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
                while True:
                    time.sleep(0.02)
                    connection.sendall(b"x")


def test_a_head_that_comes_byte_by_byte_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=drip, args=(listener,), daemon=True).start()
        began = time.monotonic()
        with pytest.raises(RegistryError, match="does not answer in time"):
            make_client().manifest(at(f"127.0.0.1:{listener.getsockname()[1]}"))
        assert time.monotonic() - began < 40
