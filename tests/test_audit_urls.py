"""`mabuild audit --check-urls` against a server of our own."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from orchestrator.auditing.siblings import download_at
from orchestrator.cli import run
from orchestrator.commands.session import Session
from orchestrator.registry.downloads import Downloads, is_public

FILES = {"/v1/tool-linux-amd64", "/v1/tool-linux-arm64", "/only/tool-x86_64"}


class Server(http.server.ThreadingHTTPServer):
    asked: list[tuple[str, str]]


class Files(http.server.BaseHTTPRequestHandler):
    def do_HEAD(self) -> None:
        assert isinstance(self.server, Server)
        self.server.asked.append((self.command, self.path))
        if self.path.startswith("/moved"):
            self.send_response(302)
            self.send_header("Location", "/v1/tool-linux-arm64")
        else:
            self.send_response(200 if self.path in FILES else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server(("127.0.0.1", 0), Files)
    made.asked = []
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


def causes(folder: Path, dockerfile: str, *options: str) -> list[str]:
    (folder / "Dockerfile").write_text(dockerfile)
    out = StringIO()
    session = Session({"HOME": str(folder)}, folder, out, StringIO())
    run(["audit", "Dockerfile", "--format", "json", *options], session)
    return [finding["cause"] or "" for finding in json.loads(out.getvalue())["findings"]]


def test_a_sibling_that_exists_is_named(tmp_path: Path, server: Server) -> None:
    root = f"http://127.0.0.1:{server.server_address[1]}"
    text = f"FROM debian:13\nARG VERSION=1\nRUN curl -fsSLO {root}/v${{VERSION}}/tool-linux-amd64\n"
    assert causes(tmp_path, text, "--check-urls") == [f"{root}/v1/tool-linux-arm64 exists"]
    assert server.asked == [("HEAD", "/v1/tool-linux-arm64")]


def test_a_sibling_that_does_not_exist_is_said_to_be_missing(tmp_path: Path, server: Server) -> None:
    root = f"http://127.0.0.1:{server.server_address[1]}"
    text = f"FROM debian:13\nRUN curl -fsSLO {root}/only/tool-x86_64\n"
    (cause,) = causes(tmp_path, text, "--check-urls")
    assert cause == f"no file of the other architecture was found beside {root}/only/tool-x86_64"


def test_nothing_is_asked_without_the_option(tmp_path: Path, server: Server) -> None:
    root = f"http://127.0.0.1:{server.server_address[1]}"
    causes(tmp_path, f"FROM debian:13\nRUN curl -fsSLO {root}/v1/tool-linux-amd64\n")
    assert server.asked == []


def test_redirects_are_followed_and_each_address_is_asked_once(server: Server) -> None:
    address = f"http://127.0.0.1:{server.server_address[1]}/moved/tool"
    downloads = Downloads()
    assert [downloads.status(address), downloads.status(address)] == [200, 200]
    assert len(server.asked) == 2
    assert downloads.status("http://127.0.0.1:1/x") == 0


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("https://example.com/x", True),
        ("http://169.254.169.254/latest/meta-data", False),
        ("http://10.0.0.1/x", False),
        ("file:///etc/passwd", False),
        ("https://user:secret@example.com/x", False),
        ("https:///x", False),
    ],
)
def test_what_may_be_asked(address: str, public: bool) -> None:
    assert is_public(address) is public


def test_an_address_that_is_not_fully_known_is_not_guessed() -> None:
    assert download_at("RUN curl -O https://x.io/$V/tool-amd64", 1, 35, "amd64") is None
    assert download_at("RUN echo amd64", 1, 10, "amd64") is None
    assert download_at("", 3, 1, "amd64") is None
