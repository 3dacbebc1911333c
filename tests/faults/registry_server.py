"""A registry in memory that speaks real HTTP, for tests without an engine; its oddities can be switched on.

    with RegistryServer(Oddities(ranges=False), login=Login("bearer", "me", "secret")) as server:
        Reference.parse(f"{server.address}/acme/api:1")
        server.manifests["acme/api"]["1"] = ("application/...", b"{}"); server.blobs["sha256:..."] = b"..."
    server.seen                               # every request: method, path, fields in lower case

Tokens are given by the same server at `/token` (`token_server` names another host for it) and count per scope in
`server.tokens`.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ssl import SSLContext
from threading import Lock, Thread
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit

NAME = r"(?P<name>[a-z0-9._/-]+)"
ROUTES = [
    (re.compile(rf"/v2/{NAME}/manifests/(?P<target>[^/]+)"), "manifests"),
    (re.compile(rf"/v2/{NAME}/blobs/uploads/(?P<target>\w*)"), "uploads"),
    (re.compile(rf"/v2/{NAME}/blobs/(?P<target>[^/]+)"), "blobs"),
    (re.compile(rf"/v2/{NAME}/tags/list(?P<target>)"), "tags"),
    (re.compile(rf"/v2/{NAME}/referrers/(?P<target>[^/]+)"), "referrers"),
]
INDEX = "application/vnd.oci.image.index.v1+json"


@dataclass(frozen=True, slots=True)
class Oddities:
    """How this registry differs from a good one."""

    digest_header: bool = True
    wrong_digest_header: bool = False
    head: bool = True
    ranges: bool = True
    referrers: bool = True
    page: int = 0
    mounts: bool = True
    blobs_at: str = ""
    content_type: str = ""
    many_challenges: bool = False


PLAIN = Oddities()


@dataclass(frozen=True, slots=True)
class Login:
    """What is wanted: scheme `basic` or `bearer`, the user who may (nobody: anonymous may), and how tokens live."""

    scheme: str
    user: str = ""
    password: str = ""
    identity: str = ""
    expires_in: int | None = 300
    realm: str = ""
    has_post: bool = True


@dataclass(frozen=True, slots=True)
class Seen:
    """One request that came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass
class Reply:
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


class RegistryServer:
    """The registry; a context manager."""

    def __init__(self, oddities: Oddities = PLAIN, login: Login | None = None, tls: SSLContext | None = None) -> None:
        self.oddities = oddities
        self.login = login
        self.manifests: dict[str, dict[str, tuple[str, bytes]]] = {}
        self.blobs: dict[str, bytes] = {}
        self.seen: list[Seen] = []
        self.tokens: dict[str, str] = {}
        self.lock = Lock()
        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.registry = self
        if tls:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self.address = f"127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def put(self, name: str, target: str, media_type: str, content: bytes) -> str:
        """Store a manifest by tag (or digest) and by digest."""
        digest = digest_of(content)
        with self.lock:
            repository = self.manifests.setdefault(name, {})
            repository[digest] = repository[target] = (media_type, content)
        return digest

    def count(self, method: str = "", path: str = "") -> int:
        """How many requests of that kind came."""
        return sum(method in {"", seen.method} and bool(re.search(path, seen.path)) for seen in self.seen)

    def revoke(self) -> None:
        """Let no token be good any longer."""
        with self.lock:
            self.tokens.clear()


class Server(ThreadingHTTPServer):
    registry: RegistryServer
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients may go at any time."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server  # type: ignore[mutable-override]  # the handler of this server only

    def serve(self) -> None:
        registry = self.server.registry
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with registry.lock:
            fields = {name.lower(): value for name, value in self.headers.items()}
            registry.seen.append(Seen(self.command, self.path, fields, body))
        path = urlsplit(self.path).path
        if path == "/token":
            return self.reply(self.token(body))
        if not self.is_allowed():
            return self.reply(self.challenge())
        for pattern, kind in ROUTES:
            if match := pattern.fullmatch(path):
                handler: Callable[[str, str, bytes], Reply] = getattr(self, kind)
                return self.reply(handler(match["name"], match["target"], body))
        return self.reply(Reply(200 if path == "/v2/" else 404))

    do_GET = do_HEAD = do_PUT = do_POST = do_PATCH = do_DELETE = serve  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Silence."""

    def reply(self, reply: Reply) -> None:
        self.send_response(reply.status)
        reply.headers.setdefault("Content-Length", str(len(reply.body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)

    def query(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.path).query)

    # What the registry holds

    def manifests(self, name: str, target: str, body: bytes) -> Reply:
        registry = self.server.registry
        if self.command == "PUT":
            digest = registry.put(name, target, self.headers.get("Content-Type", ""), body)
            return Reply(201, headers={"Docker-Content-Digest": digest} if registry.oddities.digest_header else {})
        if self.command == "HEAD" and not registry.oddities.head:
            return Reply(405)
        found = registry.manifests.get(name, {}).get(target)
        if found is None:
            return error(404, "MANIFEST_UNKNOWN", f"manifest unknown: {target}")
        if self.command == "DELETE":
            removed = registry.manifests[name]
            registry.manifests[name] = {key: value for key, value in removed.items() if value != found}
            return Reply(202)
        headers = {"Content-Type": registry.oddities.content_type or found[0]}
        if registry.oddities.digest_header:
            content = b"other" if registry.oddities.wrong_digest_header else found[1]
            headers["Docker-Content-Digest"] = digest_of(content)
        return Reply(200, found[1], headers)

    def blobs(self, name: str, target: str, body: bytes) -> Reply:
        registry = self.server.registry
        if target not in registry.blobs:
            return error(404, "BLOB_UNKNOWN", "blob unknown")
        if registry.oddities.blobs_at and self.command == "GET":
            return Reply(307, headers={"Location": f"http://{registry.oddities.blobs_at}{self.path}"})
        content = registry.blobs[target]
        match = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if match and registry.oddities.ranges:
            start = int(match[1])
            content_range = f"bytes {start}-{len(content) - 1}/{len(content)}"
            return Reply(206, content[start:], {"Content-Range": content_range})
        return Reply(200, content)

    def uploads(self, name: str, target: str, body: bytes) -> Reply:
        registry = self.server.registry
        query = self.query()
        if self.command == "DELETE":
            return Reply(204)
        if self.command == "POST":
            if registry.oddities.mounts and query.get("mount", [""])[0] in registry.blobs:
                return Reply(201, headers={"Location": f"/v2/{name}/blobs/{query['mount'][0]}"})
            return Reply(202, headers={"Location": f"/v2/{name}/blobs/uploads/session1?_state=abc"})
        digest = query["digest"][0]
        if digest_of(body) != digest or "_state" not in query:
            return error(400, "DIGEST_INVALID", "the digest does not match")
        registry.blobs[digest] = body
        return Reply(201)

    def tags(self, name: str, target: str, body: bytes) -> Reply:
        registry = self.server.registry
        if name not in registry.manifests:
            return error(404, "NAME_UNKNOWN", "repository name not known")
        names = sorted(tag for tag in registry.manifests[name] if ":" not in tag)
        last = self.query().get("last", [""])[0]
        rest = [tag for tag in names if tag > last]
        page = rest[: registry.oddities.page or len(rest)]
        headers = {}
        if len(page) < len(rest):
            headers["Link"] = f'</v2/{name}/tags/list?n={len(page)}&last={page[-1]}>; rel="next"'
        return Reply(200, json.dumps({"name": name, "tags": page}).encode(), headers)

    def referrers(self, name: str, target: str, body: bytes) -> Reply:
        registry = self.server.registry
        if not registry.oddities.referrers:
            return Reply(404, b"404 page not found")
        found = []
        for key, (media_type, content) in registry.manifests.get(name, {}).items():
            if key.startswith("sha256:") and json.loads(content).get("subject", {}).get("digest") == target:
                found.append({"mediaType": media_type, "digest": key, "size": len(content)})
        index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": found}
        return Reply(200, json.dumps(index).encode(), {"Content-Type": INDEX})

    # Logins

    def is_allowed(self) -> bool:
        login = self.server.registry.login
        if login is None:
            return True
        sent = self.headers.get("Authorization", "")
        if login.scheme == "basic":
            return sent == basic(login.user, login.password)
        name, needed = self.scope()
        scope = self.server.registry.tokens.get(sent.removeprefix("Bearer "), "")
        return any(
            part.startswith(f"repository:{name}:") and needed in part.rpartition(":")[2].split(",")
            for part in scope.split()
        )

    def scope(self) -> tuple[str, str]:
        """The repository that is asked for, and the action on it."""
        action = "pull" if self.command in {"GET", "HEAD"} else "delete" if self.command == "DELETE" else "push"
        path = urlsplit(self.path).path
        names = [match["name"] for pattern, _ in ROUTES if (match := pattern.fullmatch(path))]
        return (names[0] if names else ""), action

    def challenge(self) -> Reply:
        login = self.server.registry.login
        assert login is not None
        if login.scheme == "basic":
            return Reply(401, headers={"WWW-Authenticate": 'Basic realm="registry"'})
        realm = login.realm or f"http://{self.server.registry.address}/token"
        name, action = self.scope()
        odd = self.server.registry.oddities.many_challenges
        scope = "repository:other:pull" if odd else f"repository:{name}:{action}"
        fields = f'{"Negotiate, " * odd}Bearer realm="{realm}",service="registry.test",scope="{scope}"'
        return Reply(401, headers={"WWW-Authenticate": fields})

    def token(self, body: bytes) -> Reply:
        registry, login = self.server.registry, self.server.registry.login
        assert login is not None
        if self.command == "POST" and not login.has_post:
            return Reply(404)
        query = parse_qs(body.decode()) if self.command == "POST" else self.query()
        sent = query.get("refresh_token", [""])[0] or self.headers.get("Authorization", "")
        wanted = [login.identity] if self.command == "POST" else [basic(login.user, login.password)]
        if (login.user or login.identity) and sent not in wanted:
            return error(401, "UNAUTHORIZED", "incorrect username or password")
        with registry.lock:
            token = f"token{len(registry.seen)}"
            registry.tokens[token] = " ".join(query.get("scope", []))
        life = {} if login.expires_in is None else {"expires_in": login.expires_in}
        name = "access_token" if self.command == "POST" else "token"
        return Reply(200, json.dumps({name: token, **life}).encode())


def error(status: int, code: str, message: str) -> Reply:
    return Reply(status, json.dumps({"errors": [{"code": code, "message": message}]}).encode())


def basic(user: str, password: str) -> str:
    return f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"


def digest_of(content: bytes) -> str:
    return f"sha256:{sha256(content).hexdigest()}"
