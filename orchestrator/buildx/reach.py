"""Whether anybody listens at an address, known at once instead of after buildx's 20 seconds."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

_SECONDS = 3.0


def why_unreachable(address: str) -> str:
    """Why nobody can be reached at a `unix://` or `tcp://` address; empty where somebody is, and for other kinds."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        return f"{address} is no address: {error}"
    try:
        if parts.scheme == "unix":
            _knock_unix(parts.path)
        elif parts.scheme == "tcp" and host and port:
            socket.create_connection((host, port), _SECONDS).close()
    except TimeoutError:
        return f"{address} does not take connections (waited {_SECONDS:g} s)"
    except OSError as error:
        return f"{address}: {(error.strerror or str(error)).lower()}"
    return ""


def _knock_unix(path: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knock:
        knock.settimeout(_SECONDS)
        knock.connect(path)
