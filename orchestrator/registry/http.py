"""The HTTP client that all hosts and threads share: pooled connections, bounds, redirects, and busy hosts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import Lock, Semaphore
from typing import TYPE_CHECKING, BinaryIO

from orchestrator import __version__
from orchestrator.core.errors import MabuildError
from orchestrator.registry.clock import CLOCK, Clock
from orchestrator.registry.errors import RateLimitedError, RegistryError
from orchestrator.registry.faults import connection_error
from orchestrator.registry.headers import retry_after
from orchestrator.registry.hosts import Hosts
from orchestrator.registry.proxies import proxy_for
from orchestrator.registry.wire import LIMITS, Answer, Limits, Request, Stream, Traffic

if TYPE_CHECKING:
    from ssl import SSLContext

    from urllib3 import BaseHTTPResponse, PoolManager

USER_AGENT = f"mabuild/{__version__}"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Http:
    """Sends requests. Safe for threads; a thread reads at most one blob of a host at a time."""

    def __init__(
        self, hosts: Hosts, environment: Mapping[str, str], *, limits: Limits = LIMITS, clock: Clock = CLOCK
    ) -> None:
        self.limits = limits
        self.clock = clock
        self._managers = Managers(hosts, environment, limits)
        self._lock = Lock()
        self._slots: dict[tuple[str, bool], Semaphore] = {}
        self._busy_until: dict[str, float] = {}
        self._requests = 0
        self._received = 0

    @property
    def traffic(self) -> Traffic:
        """Requests and bytes of bodies so far."""
        with self._lock:
            return Traffic(self._requests, self._received)

    def exchange(self, request: Request, limit: int) -> Answer:
        """Send a request and read the whole answer, whatever its status."""
        return self.stream(request).answer(limit)

    def stream(self, request: Request) -> Stream:
        """Send a request, follow redirects of reads, and give the answer before its body."""
        for _ in range(self.limits.redirects + 1):
            stream = self._send(request)
            location = stream.header("Location")
            if stream.status not in _REDIRECTS or request.method not in {"GET", "HEAD"} or not location:
                return stream
            stream.close()
            request = request.redirected(location)
        raise RegistryError(f"{request.authority} redirects more than {self.limits.redirects} times")

    def close(self) -> None:
        """Close all idle connections."""
        self._managers.clear()

    def _send(self, request: Request) -> Stream:
        slot = self._slot(request)
        if not slot.acquire(timeout=self.limits.blob):
            raise RegistryError(f"too much is being read from {request.authority} at once")
        try:
            self._wait_while_busy(request.authority)
            response = self._respond(request)
        except BaseException:
            slot.release()
            raise
        stream = Stream(response, request, self.clock, self.limits)
        stream.on_close(lambda received: self._finished(slot, received))
        if stream.status == 429:
            self._cool(request.authority, retry_after(stream.header("Retry-After"), self.clock.now()))
        return stream

    def _respond(self, request: Request) -> BaseHTTPResponse:
        if not isinstance(request.body, Path):
            return self._sent(request, request.body)
        try:
            with request.body.open("rb") as body:
                return self._sent(request, body, request.body.stat().st_size)
        except OSError as error:
            raise MabuildError(f"{request.body} cannot be read: {error.strerror}") from error

    def _sent(self, request: Request, body: bytes | BinaryIO, length: int = -1) -> BaseHTTPResponse:
        from urllib3.exceptions import HTTPError, NewConnectionError

        try:
            response = self._ask(request, body, length)
        except (HTTPError, OSError, ValueError) as error:
            self._count(requests=not isinstance(error, NewConnectionError))
            raise connection_error(error, request.authority) from error
        self._count(requests=1)
        return response

    def _ask(self, request: Request, body: bytes | BinaryIO, length: int) -> BaseHTTPResponse:
        from urllib3 import Timeout

        headers = {"User-Agent": USER_AGENT, "Accept-Encoding": "identity", **dict(request.headers)}
        if length >= 0:
            headers["Content-Length"] = str(length)
        return self._managers.manager(request).request(
            request.method,
            request.url,
            body=body or None,
            headers=headers,
            retries=False,
            redirect=False,
            preload_content=False,
            decode_content=False,
            timeout=Timeout(connect=self.limits.connect, read=self.limits.silence),
        )

    def _slot(self, request: Request) -> Semaphore:
        """Blobs have places of their own, so that whoever reads one can always ask for something small beside it."""
        with self._lock:
            return self._slots.setdefault((request.authority, request.is_long), Semaphore(self.limits.at_once))

    def _finished(self, slot: Semaphore, received: int) -> None:
        self._count(received=received)
        slot.release()

    def _count(self, requests: int = 0, received: int = 0) -> None:
        with self._lock:
            self._requests += requests
            self._received += received

    def _cool(self, authority: str, seconds: float) -> None:
        """Let no thread ask this host again before the time that it named (at least a second)."""
        until = self.clock.monotonic() + max(1.0, seconds)
        with self._lock:
            self._busy_until[authority] = max(until, self._busy_until.get(authority, 0.0))

    def _wait_while_busy(self, authority: str) -> None:
        with self._lock:
            left = self._busy_until.get(authority, 0.0) - self.clock.monotonic()
        if left > self.limits.patience:
            raise RateLimitedError(
                f"{authority} had too many requests and asks for {left:.0f} s of silence", status=429
            )
        if left > 0:
            self.clock.sleep(left)


class Managers:
    """urllib3's pools: one set for ordinary hosts, one for each host with TLS settings of its own or a proxy."""

    def __init__(self, hosts: Hosts, environment: Mapping[str, str], limits: Limits) -> None:
        self._hosts = hosts
        self._environment = environment
        self._limits = limits
        self._lock = Lock()
        self._managers: dict[tuple[bool, str, bool, str], PoolManager] = {}

    def manager(self, request: Request) -> PoolManager:
        """The pools for a request's host."""
        settings = self._hosts.settings(request.authority)
        scheme = request.url.partition("://")[0]
        proxy = proxy_for(scheme, request.authority, self._environment)
        key = (scheme == "https", settings.ca, settings.insecure, proxy)
        with self._lock:
            if key not in self._managers:
                self._managers[key] = self._make(*key)
            return self._managers[key]

    def clear(self) -> None:
        """Close all idle connections."""
        with self._lock:
            for manager in self._managers.values():
                manager.clear()

    def _make(self, is_secure: bool, ca: str, insecure: bool, proxy: str) -> PoolManager:
        import urllib3
        from urllib3.util import parse_url

        from orchestrator.registry.connections import BoundedPool, BoundedSecurePool

        context = _tls_context(ca, insecure) if is_secure or proxy else None
        size = 2 * self._limits.at_once
        if proxy:
            user = parse_url(proxy).auth
            headers = urllib3.make_headers(proxy_basic_auth=user) if user else None
            manager: PoolManager = urllib3.ProxyManager(
                proxy, num_pools=64, maxsize=size, ssl_context=context, proxy_headers=headers
            )
        else:
            manager = urllib3.PoolManager(num_pools=64, maxsize=size, ssl_context=context)
        manager.pool_classes_by_scheme = {"http": BoundedPool, "https": BoundedSecurePool}
        return manager


def _tls_context(ca: str, insecure: bool) -> SSLContext:
    """The system's certificate authorities, and those of the file `ca`; it takes 30 ms, so only where TLS is used."""
    import ssl

    import urllib3

    context = ssl.create_default_context()
    if insecure:
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif ca:
        try:
            context.load_verify_locations(cafile=ca)
        except OSError as error:
            raise RegistryError(f"the certificates in {ca} cannot be read", hint="`ca` names a PEM file") from error
    return context
