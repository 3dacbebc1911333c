"""Answers a registry's challenges: basic logins, and bearer tokens that are fetched once for each repository."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock
from urllib.parse import urlencode, urlsplit

from orchestrator.registry.credentials import Credentials, Login
from orchestrator.registry.errors import LoginError, RegistryError
from orchestrator.registry.headers import Challenge
from orchestrator.registry.hosts import Endpoint, is_private, name_of
from orchestrator.registry.http import Http
from orchestrator.registry.wire import Answer, Request, joined

_CLIENT = "mabuild"
_USUAL_LIFE = 60.0
_MARGIN = 10.0
_NO_SUCH_DOOR = frozenset({404, 405})


@dataclass(frozen=True, slots=True)
class Need:
    """What a request must be allowed: actions (`pull`, `pull,push`, `delete`) on a repository, and pull on others."""

    endpoint: Endpoint
    repository: str
    actions: str = "pull"
    also_pull: tuple[str, ...] = ()

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes as token servers write them."""
        others = (f"repository:{repository}:pull" for repository in self.also_pull)
        return (f"repository:{self.repository}:{self.actions}", *others)


@dataclass(frozen=True, slots=True)
class Permit:
    """An Authorization field and the time (monotonic) until which it is good."""

    field: str
    until: float


class Authorizer:
    """The Authorization fields of all hosts. Safe for threads: no token is fetched twice."""

    def __init__(self, http: Http, credentials: Credentials) -> None:
        self._http = http
        self._credentials = credentials
        self._lock = Lock()
        self._locks: dict[Need, Lock] = {}
        self._challenges: dict[str, Challenge] = {}
        self._demanded: dict[Need, tuple[str, ...]] = {}
        self._permits: dict[Need, Permit] = {}

    def known(self, need: Need) -> str:
        """The field to send at once: empty as long as the host has not asked for any."""
        challenge = self._challenges.get(need.endpoint.authority)
        return self._permit(need, challenge, refused="") if challenge else ""

    def answer(self, need: Need, fields: Iterable[Challenge], refused: str) -> str:
        """The field that answers a 401; LoginError where there is nothing (else) to answer with."""
        challenge = _choose(tuple(fields))
        if challenge is None:
            raise LoginError(f"{need.endpoint.authority} refuses without saying how to log in", status=401)
        self._challenges[need.endpoint.authority] = challenge
        wanted = challenge.get("scope").split()
        self._demanded[need] = tuple(scope for scope in wanted if not _is_covered(scope, need.scopes))
        found = self._permit(need, challenge, refused)
        if not found or found == refused:
            raise refusal(need, self._login(need), 401)
        return found

    def refusal(self, need: Need, status: int) -> LoginError:
        """The error for an answer of 401 or 403 to a request that was authorized as well as it could be."""
        return refusal(need, self._login(need), status)

    def _login(self, need: Need) -> Login:
        return self._credentials.login(need.endpoint.host, need.repository)

    def _permit(self, need: Need, challenge: Challenge, refused: str) -> str:
        with self._lock:
            lock = self._locks.setdefault(need, Lock())
        with lock:
            permit = self._permits.get(need)
            if permit and permit.field != refused and permit.until > self._http.clock.monotonic():
                return permit.field
            permit = self._make(need, challenge)
            self._permits[need] = permit
            return permit.field

    def _make(self, need: Need, challenge: Challenge) -> Permit:
        login = self._login(need)
        forever = float("inf")
        if challenge.scheme == "basic":
            return Permit(_basic(login.username, login.password) if login.password else "", forever)
        if login.registry_token:
            return Permit(f"Bearer {login.registry_token}", forever)
        return self._token(need, challenge, login)

    def _token(self, need: Need, challenge: Challenge, login: Login) -> Permit:
        realm = challenge.get("realm")
        check_realm(realm, need.endpoint)
        scopes = [*need.scopes, *self._demanded.get(need, ())]
        asked = self._http.clock.monotonic()
        answer = self._ask(realm, challenge.get("service"), scopes, login)
        if answer.status in {400, 401, 403}:
            raise refusal(need, login, answer.status)
        if answer.status >= 300:
            is_busy = answer.status == 429 or answer.status >= 500
            place = name_of(urlsplit(realm).netloc)
            raise RegistryError(
                f"the token server {place} answers {answer.status}", status=answer.status, transient=is_busy
            )
        token, life = _read_token(answer, need)
        return Permit(f"Bearer {token}", asked + life - min(_MARGIN, life / 4))

    def _ask(self, realm: str, service: str, scopes: list[str], login: Login) -> Answer:
        limit = self._http.limits.answer
        if login.identity_token:
            form = {"grant_type": "refresh_token", "service": service, "client_id": _CLIENT, "scope": " ".join(scopes)}
            body = urlencode({**form, "refresh_token": login.identity_token}).encode()
            form_type = (("Content-Type", "application/x-www-form-urlencoded"),)
            answer = self._http.exchange(Request("POST", realm, form_type, body), limit)
            if answer.status not in _NO_SUCH_DOOR:
                return answer
        query = urlencode([*([("service", service)] if service else []), *(("scope", scope) for scope in scopes)])
        url = f"{realm}{'&' if '?' in realm else '?'}{query}"
        secret = login.password or login.identity_token
        headers = (("Authorization", _basic(login.username or "<token>", secret)),) if secret else ()
        return self._http.exchange(Request("GET", url, headers), limit)


def check_realm(realm: str, endpoint: Endpoint) -> None:
    """LoginError for a token server that the login must not be sent to; the registry, or who poses as it, names it."""
    parts = urlsplit(joined("", realm))
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and endpoint.scheme == "http")
    is_same_host = name_of(parts.netloc) == name_of(endpoint.authority)
    if not is_safe or "@" in parts.netloc or (is_private(parts.netloc) and not is_same_host):
        raise LoginError(
            f"{endpoint.authority} names a token server that no login is sent to: {parts.scheme}://{parts.netloc}",
            hint="it has to use TLS (unless the registry itself does not), and no private address of another host",
        )


def refusal(need: Need, login: Login, status: int) -> LoginError:
    """The error for a refused request: which host, with which login, and what to do."""
    host, what = need.endpoint.host, need.repository or "it"
    if login.is_anonymous:
        return LoginError(
            f"{host} asks for a login for {what}, or there is no such repository",
            hint=f"docker login {host}",
            status=status,
        )
    user = f" of {login.username}" if login.username not in {"", "<token>"} else ""
    return LoginError(
        f"{host} refuses the login{user} from {login.source} for {what} ({need.actions}, {status})",
        hint=f"docker login {host}, with an account that may {need.actions.replace(',', ' and ')}",
        status=status,
    )


def _choose(challenges: tuple[Challenge, ...]) -> Challenge | None:
    for scheme in ("bearer", "basic"):
        for challenge in challenges:
            if challenge.scheme == scheme:
                return challenge
    return None


def _is_covered(scope: str, scopes: Iterable[str]) -> bool:
    """Whether a scope asks for nothing more than others do."""
    name, _, actions = scope.rpartition(":")
    for other in scopes:
        other_name, _, other_actions = other.rpartition(":")
        if name == other_name and set(actions.split(",")) <= set(other_actions.split(",")):
            return True
    return False


def _read_token(answer: Answer, need: Need) -> tuple[str, float]:
    try:
        found = json.loads(answer.content)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise RegistryError(f"the token server of {need.endpoint.host} gives an answer that is not JSON")
    token = found.get("token") or found.get("access_token")
    if not isinstance(token, str) or not token.isascii() or not token.isprintable():
        raise RegistryError(f"the token server of {need.endpoint.host} gives no token")
    life = found.get("expires_in")
    return token, float(life) if isinstance(life, int | float) and life > 0 else _USUAL_LIFE


def _basic(user: str, secret: str) -> str:
    return f"Basic {base64.b64encode(f'{user}:{secret}'.encode()).decode()}"
