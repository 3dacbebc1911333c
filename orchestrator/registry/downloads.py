"""Asks with HEAD whether a download exists: few at once, with short waits, and nothing of the answer is kept."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

_SECONDS = 10.0
_MOST_REDIRECTS = 5


class Downloads:
    """One pool of connections for all questions; an address is asked once."""

    def __init__(self) -> None:
        import urllib3

        self._pool = urllib3.PoolManager(maxsize=2, block=True, timeout=urllib3.Timeout(_SECONDS))
        self._known: dict[str, int] = {}

    def status(self, address: str) -> int:
        """The HTTP status behind all redirects; 0 where nobody answers, or where the address is not to be asked."""
        if address not in self._known:
            self._known[address] = self._ask(address) if is_public(address) else 0
        return self._known[address]

    def _ask(self, address: str) -> int:
        import urllib3

        retries = urllib3.Retry(total=_MOST_REDIRECTS, connect=1, read=1, redirect=_MOST_REDIRECTS, status=0)
        try:
            return self._pool.request("HEAD", address, retries=retries, headers={"User-Agent": "mabuild"}).status
        except urllib3.exceptions.HTTPError:
            return 0


def is_public(address: str) -> bool:
    """Whether an address may be asked: a file under audit must not make this machine ask its cloud's metadata."""
    parts = urlsplit(address)
    if parts.scheme not in {"http", "https"} or parts.username or not parts.hostname:
        return False
    try:
        host = ipaddress.ip_address(parts.hostname)
    except ValueError:
        return True
    return host.is_loopback or host.is_global
