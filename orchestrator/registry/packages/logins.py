"""Logins of package indexes: in the address itself, in environment variables, or in a netrc file."""

from __future__ import annotations

import base64
import netrc
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit


class Logins:
    """Finds the login for an address. Nothing of it is ever printed."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._netrc: netrc.netrc | None = None
        self._is_read = False

    def headers(self, url: str) -> tuple[tuple[str, str], ...]:
        """The fields to send: none where there is no login."""
        parts = urlsplit(url)
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        if not user and not password:
            user, password = self._from_netrc(parts.hostname or "")
        if not user and not password:
            return ()
        token = base64.b64encode(f"{user}:{password}".encode()).decode()
        return (("Authorization", f"Basic {token}"),)

    def _from_netrc(self, host: str) -> tuple[str, str]:
        if not self._is_read:
            self._netrc = _read(self._environment)
            self._is_read = True
        found = self._netrc.authenticators(host) if self._netrc is not None else None
        return (found[0] or "", found[2] or "") if found else ("", "")


def _read(environment: Mapping[str, str]) -> netrc.netrc | None:
    named = environment.get("NETRC", "")
    path = Path(named) if named else Path(environment.get("HOME", "/nonexistent")) / ".netrc"
    try:
        return netrc.netrc(str(path)) if path.is_file() else None
    except (OSError, netrc.NetrcParseError):
        return None


def without_login(url: str) -> str:
    """The address without user and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment=""))


def with_login(url: str, user: str, password: str) -> str:
    """The address with a login, where it has none of its own."""
    from urllib.parse import quote

    parts = urlsplit(url)
    if "@" in parts.netloc or not (user or password):
        return url
    return urlunsplit(parts._replace(netloc=f"{quote(user, safe='')}:{quote(password, safe='')}@{parts.netloc}"))
