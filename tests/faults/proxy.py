"""A plain HTTP proxy before a registry, with a script of faults; for tests of retries, publishing and verification.

    with FaultProxy("localhost:5000", Fault(method="PUT", path=r"/manifests/", status=503, times=2)) as proxy:
        ...  # use proxy.address ("127.0.0.1:PORT") as the registry; docker, buildx and our client all can
        proxy.add(Fault(path="/blobs/", truncate=1000))       # at any time
    assert [seen.status for seen in proxy.seen if seen.method == "PUT"] == [503, 503, 201]
    # proxy.connections: how many came; proxy.most_at_once: how many requests ran side by side

For every request the first fault of the script that matches (method, regular expression on path and query) and is not
used up happens; a fault lets `after` matching requests pass and then happens `times` times. Without a fault the
request goes to the registry unchanged, with the Host field of the client, so that the registry's own addresses lead
back through the proxy. What a fault does, after waiting `delay` seconds:

- `reset`: break the connection without an answer;
- `status`: answer with it, `headers` and `body`, without asking the registry;
- with `forward`, both of these still hand the request on: the answer alone is lost;
- else give the registry's answer, without the fields in `strip`, with one byte of the body changed (`corrupt`), with
  `drip` seconds between pieces of 4 KiB, or only `truncate` bytes of the body before the connection breaks (with
  `gently` it is closed instead, so that nothing that was sent is lost).

A TLS greeting is answered with an HTTP line: only then does BuildKit fall back to plain HTTP.
"""

from __future__ import annotations

import re
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from types import TracebackType
from typing import Self

PIECE = 64 * 1024
HOP_FIELDS = {"connection", "keep-alive", "transfer-encoding", "proxy-connection", "te", "trailer", "upgrade", "expect"}


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault; see the module."""

    method: str = ""
    path: str = ""
    after: int = 0
    times: int = 1
    delay: float = 0.0
    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    reset: bool = False
    truncate: int = -1
    gently: bool = False
    corrupt: bool = False
    drip: float = 0.0
    strip: tuple[str, ...] = ()
    forward: bool = False

    def matches(self, method: str, path: str) -> bool:
        return self.method in {"", method} and bool(re.search(self.path, path))


@dataclass(frozen=True, slots=True)
class Seen:
    """One request that came, the status that the client got (0: none), and the fields that it sent."""

    method: str
    path: str
    status: int
    headers: dict[str, str]


@dataclass
class Scripted:
    """A fault of the script: how many requests it still lets pass, and how often it still happens."""

    fault: Fault
    passes: int
    left: int


PASS = Fault()


class FaultProxy:
    """The proxy; a context manager."""

    def __init__(self, upstream: str, *faults: Fault, host: str = "127.0.0.1") -> None:
        self.upstream = upstream
        self.seen: list[Seen] = []
        self.connections = 0
        self.most_at_once = 0
        self._running = 0
        self._script = [Scripted(fault, fault.after, fault.times) for fault in faults]
        self._lock = Lock()
        self._server = Server((host, 0), Handler)
        self._server.proxy = self
        self.address = f"{host}:{self._server.server_port}"

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def add(self, fault: Fault) -> None:
        """Put one more fault at the end of the script."""
        with self._lock:
            self._script.append(Scripted(fault, fault.after, fault.times))

    def count(self, method: str = "", path: str = "") -> int:
        """How many requests of that kind came."""
        wanted = Fault(method, path)
        return sum(wanted.matches(seen.method, seen.path) for seen in self.seen)

    def next_fault(self, method: str, path: str) -> Fault:
        with self._lock:
            for entry in self._script:
                if not entry.left or not entry.fault.matches(method, path):
                    continue
                if entry.passes:
                    entry.passes -= 1
                    continue
                entry.left -= 1
                return entry.fault
        return PASS

    def connected(self) -> None:
        with self._lock:
            self.connections += 1

    def running(self, change: int) -> None:
        with self._lock:
            self._running += change
            self.most_at_once = max(self.most_at_once, self._running)

    def note(self, seen: Seen) -> None:
        with self._lock:
            self.seen.append(seen)


class Server(ThreadingHTTPServer):
    proxy: FaultProxy
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """Broken connections are what this is for."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server  # type: ignore[mutable-override]  # the handler of this server only

    def handle(self) -> None:
        self.server.proxy.connected()
        self.connection.settimeout(60)
        with suppress(ConnectionError, TimeoutError):
            if self.connection.recv(1, socket.MSG_PEEK) == b"\x16":
                self.connection.sendall(b"HTTP/1.0 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            super().handle()

    def serve(self) -> None:
        self.server.proxy.running(1)
        try:
            self._serve()
        finally:
            self.server.proxy.running(-1)

    def _serve(self) -> None:
        fault = self.server.proxy.next_fault(self.command, self.path)
        body = b"".join(self._body())
        if fault.delay:
            time.sleep(fault.delay)
        if (fault.status or fault.reset) and fault.forward:
            self._upstream(body, fault, answers=False)
        elif fault.reset:
            self._note(0)
        elif fault.status:
            self._note(fault.status)
        if fault.reset:
            self._reset()
        elif fault.status:
            self._answer(fault)
        else:
            self._upstream(body, fault, answers=True)

    do_GET = do_HEAD = do_PUT = do_POST = do_PATCH = do_DELETE = serve  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Silence."""

    def _note(self, status: int) -> None:
        self.server.proxy.note(Seen(self.command, self.path, status, {k.lower(): v for k, v in self.headers.items()}))

    def _body(self) -> Iterator[bytes]:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            while size := int(self.rfile.readline().partition(b";")[0], 16):
                yield self.rfile.read(size)
                self.rfile.readline()
            while self.rfile.readline().strip():
                pass
        elif length := int(self.headers.get("Content-Length", 0)):
            yield self.rfile.read(length)

    def _answer(self, fault: Fault) -> None:
        self.send_response(fault.status)
        for name, value in fault.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(fault.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(fault.body)

    def _upstream(self, body: bytes, fault: Fault, *, answers: bool) -> None:
        connection = HTTPConnection(self.server.proxy.upstream, timeout=60)
        fields = {name: value for name, value in self.headers.items() if name.lower() not in HOP_FIELDS}
        if body or self.command in {"PUT", "POST", "PATCH"}:
            fields["Content-Length"] = str(len(body))
        try:
            connection.request(self.command, self.path, body=body, headers=fields)
            response = connection.getresponse()
            self._note(response.status if answers else fault.status)
            if answers:
                self._relay(response, fault)
        except (OSError, HTTPException):
            self._reset()
        finally:
            connection.close()

    def _relay(self, response: HTTPResponse, fault: Fault) -> None:
        left_out = HOP_FIELDS | {name.lower() for name in fault.strip}
        self.send_response_only(response.status)
        for name, value in response.getheaders():
            if name.lower() not in left_out:
                self.send_header(name, value)
        if response.length is None or "content-length" in left_out:
            self.close_connection = True
            self.send_header("Connection", "close")
        self.end_headers()
        left = fault.truncate
        mask = int(fault.corrupt)
        size = 4096 if fault.drip else PIECE
        while piece := response.read(size if left < 0 else min(size, left)):
            self.wfile.write(bytes([piece[0] ^ mask]) + piece[1:])
            mask = 0
            left -= len(piece) if fault.truncate >= 0 else 0
            time.sleep(fault.drip)
        if fault.truncate >= 0 and self.command != "HEAD":
            self.close_connection = True
            if not fault.gently:
                self._reset()

    def _reset(self) -> None:
        """Close with RST, as a machine that goes down does."""
        self.close_connection = True
        with suppress(OSError):
            self.wfile.flush()
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
