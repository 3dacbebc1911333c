"""Logins as docker and podman keep them: `DOCKER_AUTH_CONFIG`, `config.json`, credential helpers, `auth.json`."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from orchestrator.core.reference import DOCKER_HUB
from orchestrator.registry.credential_helper import HelperError, ask_helper

_HUB_SERVER = "https://index.docker.io/v1/"
_HUB_ALIASES = frozenset({DOCKER_HUB, "index.docker.io", "registry-1.docker.io", "registry.hub.docker.com"})
_LARGEST_FILE = 4 * 1024 * 1024
_TOKEN_USER = "<token>"  # noqa: S105
JsonObject = dict[str, object]


@dataclass(frozen=True, slots=True)
class Login:
    """What is presented to a registry; the secrets are never shown, `source` is where they are from."""

    username: str = ""
    password: str = field(default="", repr=False)
    identity_token: str = field(default="", repr=False)
    registry_token: str = field(default="", repr=False)
    source: str = ""

    @property
    def is_anonymous(self) -> bool:
        """Whether there is nothing to present."""
        return not (self.password or self.identity_token or self.registry_token)


ANONYMOUS = Login()


@dataclass(frozen=True, slots=True)
class AuthFile:
    """One configuration with logins, parsed."""

    source: str
    content: JsonObject

    def section(self, name: str) -> JsonObject:
        """A part that is an object; empty where there is none."""
        found = self.content.get(name)
        return found if isinstance(found, dict) else {}


class Credentials:
    """Finds the login for a repository, asking each helper at most once for a server."""

    def __init__(self, environment: Mapping[str, str], warn: Callable[[str], None]) -> None:
        self._environment = environment
        self._warn = warn
        self._lock = Lock()
        self._files: tuple[AuthFile, ...] = ()
        self._is_loaded = False
        self._helped: dict[tuple[str, str], Login] = {}

    def login(self, host: str, repository: str) -> Login:
        """The login for a repository of a host; anonymous where nobody knows one."""
        with self._lock:
            if not self._is_loaded:
                self._files = tuple(_files(self._environment, self._warn))
                self._is_loaded = True
            for file in self._files:
                login = self._from_file(file, host, repository)
                if not login.is_anonymous:
                    return login
        return ANONYMOUS

    def _from_file(self, file: AuthFile, host: str, repository: str) -> Login:
        helper = _best(file.section("credHelpers"), host, repository)
        if isinstance(helper, str) and helper:
            return self._helper_login(helper, host)
        store = file.content.get("credsStore")
        if isinstance(store, str) and store:
            login = self._helper_login(store, host)
            if not login.is_anonymous:
                return login
        entry = _best(file.section("auths"), host, repository)
        return self._entry_login(entry, file.source, host) if isinstance(entry, dict) else ANONYMOUS

    def _helper_login(self, helper: str, host: str) -> Login:
        key = (helper, host)
        if key not in self._helped:
            server = _HUB_SERVER if host in _HUB_ALIASES else host
            try:
                user, secret = ask_helper(helper, server, self._environment)
            except HelperError as error:
                self._warn(f"{error}; {host} is asked without its login")
                user, secret = "", ""
            self._helped[key] = _login(user, secret, f"docker-credential-{helper}")
        return self._helped[key]

    def _entry_login(self, entry: JsonObject, source: str, host: str) -> Login:
        identity, registry = _text(entry, "identitytoken"), _text(entry, "registrytoken")
        user, password = _text(entry, "username"), _text(entry, "password")
        if encoded := _text(entry, "auth"):
            try:
                user, _, password = base64.b64decode(encoded, validate=True).decode().partition(":")
            except (binascii.Error, UnicodeDecodeError):
                self._warn(f"the login for {host} in {source} is not base64; it is left out")
        login = _login(user, password.strip("\0"), source)
        if identity or registry:
            return Login(login.username, login.password, identity or login.identity_token, registry, source)
        return login


def _login(user: str, secret: str, source: str) -> Login:
    if user == _TOKEN_USER:
        return Login(user, identity_token=secret, source=source)
    return Login(user, secret, source=source)


def _files(environment: Mapping[str, str], warn: Callable[[str], None]) -> list[AuthFile]:
    found = []
    if text := environment.get("DOCKER_AUTH_CONFIG", ""):
        found.append(_parsed("DOCKER_AUTH_CONFIG", text, warn))
    home = Path(environment.get("HOME") or "~").expanduser()
    docker = Path(environment.get("DOCKER_CONFIG") or home / ".docker") / "config.json"
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    settings = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    named = environment.get("REGISTRY_AUTH_FILE", "")
    podman = [Path(named)] if named else [Path(runtime) / "containers/auth.json"] if runtime else []
    paths = (docker, *podman, settings / "containers/auth.json")
    return [*found, *(_parsed(str(path), _read(path, warn), warn) for path in paths if path.is_file())]


def _read(path: Path, warn: Callable[[str], None]) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_LARGEST_FILE).decode("utf-8", "replace")
    except OSError as error:
        warn(f"{path} cannot be read: {error.strerror}; its logins are left out")
        return "{}"


def _parsed(source: str, text: str, warn: Callable[[str], None]) -> AuthFile:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        warn(f"{source} is not a JSON object; its logins are left out")
        content = {}
    return AuthFile(source, content)


def _best(section: JsonObject, host: str, repository: str) -> object:
    """The entry for a repository: the longest key that is the host, or the host and the first parts of the path."""
    wanted = f"{DOCKER_HUB if host in _HUB_ALIASES else host}/{repository}"
    best, found = -1, None
    for key, value in section.items():
        name = _normal_key(key)
        if len(name) > best and (wanted == name or wanted.startswith(f"{name}/")):
            best, found = len(name), value
    return found


def _normal_key(key: str) -> str:
    name = key.partition("://")[2] or key
    host, _, path = name.rstrip("/").partition("/")
    path = "" if path in {"v1", "v2"} else path
    host = DOCKER_HUB if host in _HUB_ALIASES else host
    return f"{host}/{path}" if path else host


def _text(entry: JsonObject, key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""
