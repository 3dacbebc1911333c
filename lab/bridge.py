"""Makes an engine a `remote` node: each connection to a socket gets a `docker buildx dial-stdio` of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

Children = list[subprocess.Popen[bytes]]


def serve(path: Path, argv: list[str]) -> None:
    """Accept for ever; the child gets the connection itself as standard input and output: half-closing just works."""
    children: Children = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        path.unlink(missing_ok=True)
        listener.bind(str(path))
        listener.listen(64)
        signal.signal(signal.SIGTERM, lambda *_: _leave(path, children))
        while True:
            connection, _ = listener.accept()
            children[:] = [child for child in children if child.poll() is None]
            with connection:
                children.append(subprocess.Popen(argv, stdin=connection.fileno(), stdout=connection.fileno()))


def _leave(path: Path, children: Children) -> None:
    for child in children:
        with suppress(ProcessLookupError):
            child.terminate()
    path.unlink(missing_ok=True)
    os._exit(0)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), sys.argv[2:])
