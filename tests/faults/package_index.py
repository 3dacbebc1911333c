"""Package indexes and mirrors in memory that speak real HTTP; what is wrong with them can be switched on.

with PackageIndex() as index:
    index.add("tool", "tool-1.0-py3-none-any.whl", requires=">=3.9")
    index.url                     # the simple index: JSON (PEP 691), or HTML (PEP 503) with `index.form = "html"`
    index.static["/debian/dists/..."] = b"..."
    index.seen                    # every request: path and fields in lower case
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Self


@dataclass(frozen=True, slots=True)
class File:
    """One file of a page."""

    name: str
    requires: str = ""
    yanked: bool = False
    content: bytes = b""

    @property
    def sha256(self) -> str:
        return sha256(self.content or self.name.encode()).hexdigest()


@dataclass
class PackageIndex:
    """An index; `status` answers everything with that, `login` is (user, password) that is wanted."""

    form: str = "json"
    login: tuple[str, str] = ("", "")
    status: int = 200
    cache_control: str = ""
    zipped: bool = False
    projects: dict[str, list[File]] = field(default_factory=dict)
    static: dict[str, bytes] = field(default_factory=dict)
    seen: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def url(self) -> str:
        return f"{self.root}/simple"

    @property
    def url_with_login(self) -> str:
        return self.url.replace("://", f"://{self.login[0]}:{self.login[1]}@")

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.seen]

    def add(self, project: str, *names: str, requires: str = "", yanked: bool = False, content: bytes = b"") -> None:
        """Put files on a page; those with a content can be fetched."""
        self.projects.setdefault(project, []).extend(File(name, requires, yanked, content) for name in names)
        if content:
            self.static |= {f"/files/{name}": content for name in names}

    def answer(self, path: str, headers: Mapping[str, str]) -> tuple[int, str, bytes]:
        wanted = "Basic " + base64.b64encode(":".join(self.login).encode()).decode()
        if self.login[0] and headers.get("authorization") != wanted:
            return 401, "text/plain", b"who are you?"
        if self.status != 200:
            return self.status, "text/plain", b"no"
        if path in self.static:
            return 200, "application/octet-stream", self.static[path]
        name = path.removeprefix("/simple/").rstrip("/")
        if not path.startswith("/simple/") or name not in self.projects:
            return 404, "text/plain", b"not here"
        return self._page(name)

    def _page(self, name: str) -> tuple[int, str, bytes]:
        files = self.projects[name]
        if self.form == "html":
            rows = "".join(map(_anchor, files))
            return 200, "text/html; charset=utf-8", f"<!DOCTYPE html><html><body>{rows}</body></html>".encode()
        entries = [
            {
                "filename": each.name,
                "url": f"/files/{each.name}",
                "hashes": {"sha256": each.sha256},
                "requires-python": each.requires or None,
                "yanked": each.yanked,
            }
            for each in files
        ]
        document = {"meta": {"api-version": "1.0"}, "name": name, "files": entries}
        return 200, "application/vnd.pypi.simple.v1+json", json.dumps(document).encode()


def _anchor(file: File) -> str:
    yanked = ' data-yanked=""' if file.yanked else ""
    requires = escape(file.requires)
    address = f"/files/{file.name}#sha256={file.sha256}"
    return f'<a href="{address}" data-requires-python="{requires}"{yanked}>{file.name}</a><br/>\n'


def _handler(index: PackageIndex) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            index.seen.append((self.path, headers))
            status, kind, content = index.answer(self.path, headers)
            etag = f'"{sha256(content).hexdigest()[:16]}"'
            if status == 200 and headers.get("if-none-match") == etag:
                status, content = 304, b""
            is_zipped = index.zipped and status == 200
            content = gzip.compress(content) if is_zipped else content
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("ETag", etag)
            if index.cache_control:
                self.send_header("Cache-Control", index.cache_control)
            if is_zipped:
                self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            return

    return Handler


def debian_list(*stanzas: Mapping[str, str]) -> bytes:
    """A Packages.gz."""
    text = "\n\n".join("\n".join(f"{name}: {value}" for name, value in one.items()) for one in stanzas)
    return gzip.compress(f"{text}\n\n".encode())


def alpine_list(*stanzas: Mapping[str, str]) -> bytes:
    """An APKINDEX.tar.gz as apk writes it: a signature and the index, each packed by itself."""
    text = "\n\n".join("\n".join(f"{name}:{value}" for name, value in one.items()) for one in stanzas)
    signature, index = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=signature, mode="w") as archive:
        _member(archive, ".SIGN.RSA.test.rsa.pub", b"signature")
    with tarfile.open(fileobj=index, mode="w") as archive:
        _member(archive, "DESCRIPTION", b"v1")
        _member(archive, "APKINDEX", f"{text}\n\n".encode())
    first = signature.getvalue()[:1024]  # without the two empty blocks that would end the whole
    return gzip.compress(first) + gzip.compress(index.getvalue())


def _member(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))
