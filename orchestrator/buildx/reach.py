"""Whether anybody listens at a node's address, known at once instead of after buildx's 20 seconds."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from orchestrator.core.fleet import NodeSpec

_SECONDS = 3.0


def why_unreachable(spec: NodeSpec) -> str:
    """Why nobody can be reached at the address of a remote node; empty where somebody is, or where it is not known."""
    if spec.driver != "remote":
        return ""
    try:
        address = urlsplit(spec.endpoint)
        host, port = address.hostname or "", address.port
    except ValueError as error:
        return f"its address {spec.endpoint} is none: {error}"
    try:
        if address.scheme == "unix":
            _knock_unix(address.path)
        elif address.scheme == "tcp" and host and port:
            socket.create_connection((host, port), _SECONDS).close()
    except TimeoutError:
        return f"{spec.endpoint} does not take connections (waited {_SECONDS:g} s)"
    except OSError as error:
        return f"{spec.endpoint}: {(error.strerror or str(error)).lower()}"
    return ""


def _knock_unix(path: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knock:
        knock.settimeout(_SECONDS)
        knock.connect(path)
