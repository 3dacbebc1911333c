"""An engine that only knows how to save images, over real HTTP; for tests of `docker-daemon:` without an engine."""

from __future__ import annotations

import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Self
from urllib.parse import unquote


class DockerEngine:
    """The engine; a context manager. `images` are tar files by name, `address` is for DOCKER_HOST."""

    def __init__(self, images: dict[str, bytes]) -> None:
        self.images = images
        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.engine = self
        self.address = f"tcp://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class Server(ThreadingHTTPServer):
    engine: DockerEngine
    daemon_threads = True
    block_on_close = False


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server  # type: ignore[mutable-override]  # the handler of this server only

    def do_GET(self) -> None:
        if self.path == "/version":
            return self.reply(200, json.dumps({"ApiVersion": "1.47"}).encode())
        match = re.fullmatch(r"/v[\d.]+/images/(.+)/(json|get)", unquote(self.path))
        content = self.server.engine.images.get(match[1]) if match else None
        if match is None or content is None:
            return self.reply(404, json.dumps({"message": "No such image"}).encode())
        return self.reply(200, json.dumps({"Id": match[1]}).encode() if match[2] == "json" else content)

    def reply(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Silence."""
