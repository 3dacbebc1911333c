"""What goes over the wire: a request, its answer, a body that streams, and the bounds on all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

from orchestrator.registry.clock import Clock
from orchestrator.registry.errors import RegistryError, TooLargeError
from orchestrator.registry.faults import connection_error

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse

_PIECE = 256 * 1024
_WORTH_READING = 64 * 1024


class Traffic(NamedTuple):
    """What was asked so far: requests that reached a server (redirects, logins and retries too), bytes of bodies."""

    requests: int
    received_bytes: int


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds: sizes in bytes, times in seconds.

    `silence` is the longest pause of a server, `exchange` the time for one small request with its body, `blob` for
    one whole blob (only time spent waiting counts), `patience` the longest wait for a registry that is busy.
    `at_once` requests of a host run side by side, and as many blobs beside them.
    """

    manifest: int = 4 * 1024 * 1024
    config: int = 8 * 1024 * 1024
    answer: int = 1024 * 1024
    connect: float = 10.0
    silence: float = 60.0
    exchange: float = 120.0
    blob: float = 3600.0
    patience: float = 300.0
    at_once: int = 8
    redirects: int = 5


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request; a body that is a path is streamed from that file, `is_long` is one whose answer is a blob."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    body: bytes | Path = b""
    is_long: bool = False

    @property
    def authority(self) -> str:
        """Host and port as the address names them."""
        return urlsplit(self.url).netloc.rpartition("@")[2]

    @property
    def place(self) -> str:
        """The address without its query, which can hold signatures and states."""
        parts = urlsplit(self.url)
        return f"{self.authority}{parts.path}"

    def redirected(self, location: str) -> Request:
        """The same request at another address; the login stays behind when scheme, host or port change."""
        url = joined(self.url, location)
        before, after = urlsplit(self.url), urlsplit(url)
        if after.scheme not in {"http", "https"} or (before.scheme == "https" and after.scheme == "http"):
            raise RegistryError(f"{self.authority} redirects from TLS to {after.scheme or 'nowhere'}, which is refused")
        if (before.scheme, before.netloc) == (after.scheme, after.netloc):
            return replace(self, url=url)
        headers = tuple(pair for pair in self.headers if pair[0].lower() != "authorization")
        return replace(self, url=url, headers=headers)


def joined(base: str, address: str) -> str:
    """An address that a server gave, made whole; RegistryError where it is none."""
    try:
        url = urljoin(base, address)
        urlsplit(url)
    except ValueError as error:
        raise RegistryError(f"{urlsplit(base).netloc} names an address that is none") from error
    return url


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer; field names in lower case."""

    status: int
    headers: tuple[tuple[str, str], ...]
    content: bytes
    url: str

    def header(self, name: str) -> str:
        """A header field, or the empty text."""
        return dict(self.headers).get(name, "")


class Stream:
    """An answer whose body is still coming. Close it; what was not read is thrown away with the connection."""

    def __init__(self, response: BaseHTTPResponse, request: Request, clock: Clock, limits: Limits) -> None:
        self.request = request
        self.status = response.status
        self._response = response
        self._clock = clock
        self._limits = limits
        self._done: list[Callable[[int], None]] = []
        self._received = 0
        self._closed = False

    def on_close(self, call: Callable[[int], None]) -> None:
        """Call with the number of received bytes when the stream is closed."""
        self._done.append(call)

    def header(self, name: str) -> str:
        """A header field, or the empty text."""
        return self._response.headers.get(name, "")

    def header_fields(self, name: str) -> list[str]:
        """All fields of that name."""
        return self._response.headers.getlist(name)

    def length(self) -> int:
        """The length that the server announces, -1 where it does not."""
        text = self.header("Content-Length").strip()
        return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else -1

    def read(self, size: int) -> bytes:
        """Some bytes, at most `size`; none at the end of the body."""
        from urllib3.exceptions import HTTPError

        try:
            piece = self._response.read1(size, decode_content=False)
        except (HTTPError, OSError) as error:
            raise connection_error(error, self.request.authority) from error
        self._received += len(piece)
        return piece

    def answer(self, limit: int) -> Answer:
        """The whole answer, closing the stream; TooLargeError over `limit` bytes."""
        try:
            content = b"" if self.request.method == "HEAD" else self._whole(limit)
        finally:
            self.close()
        headers = tuple((name.lower(), value) for name, value in self._response.headers.items())
        return Answer(self.status, headers, content, self.request.url)

    def _whole(self, limit: int) -> bytes:
        if self.length() > limit:
            raise TooLargeError(f"{self.request.place} announces {self.length():,} bytes; at most {limit:,} are read")
        deadline = self._clock.monotonic() + self._limits.exchange
        pieces: list[bytes] = []
        size = 0
        while piece := self.read(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > limit:
                raise TooLargeError(f"{self.request.place} sends more than the {limit:,} bytes that are read")
            if self._clock.monotonic() > deadline:
                raise RegistryError(
                    f"{self.request.authority} sends too slowly: {size:,} bytes in {self._limits.exchange:g} s"
                )
        return b"".join(pieces)

    def close(self) -> None:
        """Give the connection back, or drop it where more than a little of the body was not read."""
        if self._closed:
            return
        self._closed = True
        left = getattr(self._response, "length_remaining", None)
        try:
            if left is not None and left <= _WORTH_READING:
                while self.read(_PIECE):
                    pass
            else:
                self._response.close()
        except RegistryError:
            self._response.close()
        self._response.release_conn()
        for call in self._done:
            call(self._received)
