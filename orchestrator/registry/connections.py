"""Connections that do not wait for ever for a head of an answer that comes byte by byte."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Event, Timer
from typing import TYPE_CHECKING

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

if TYPE_CHECKING:
    from urllib3 import HTTPResponse

HEAD_SECONDS = 120.0


class BoundedConnection(HTTPConnection):
    """A connection that is cut when the head of an answer takes too long; urllib3 bounds only each piece of it."""

    def getresponse(self) -> HTTPResponse:  # type: ignore[override]  # as urllib3 declares it itself
        """The answer, once its head is there."""
        late = Event()
        timer = Timer(HEAD_SECONDS, cut, (self, late))
        timer.daemon = True
        timer.start()
        try:
            response = super().getresponse()
        finally:
            timer.cancel()
        if late.is_set():
            response.close()
            raise TimeoutError("the head of the answer took too long")
        return response


class BoundedSecureConnection(BoundedConnection, HTTPSConnection):
    """The same over TLS."""


class BoundedPool(HTTPConnectionPool):
    """Makes bounded connections."""

    ConnectionCls = BoundedConnection  # type: ignore[mutable-override]  # urllib3's way to name another class


class BoundedSecurePool(HTTPSConnectionPool):
    """Makes bounded connections over TLS."""

    ConnectionCls = BoundedSecureConnection  # type: ignore[mutable-override]  # as above


def cut(connection: HTTPConnection, late: Event) -> None:
    """Shut a connection's socket down, which ends the read that waits for it as if the head were complete."""
    late.set()
    if connection.sock is not None:
        with suppress(OSError):
            connection.sock.shutdown(socket.SHUT_RDWR)
