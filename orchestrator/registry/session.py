"""A conversation with registries: logins, retries and errors around single requests."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from orchestrator.core.errors import MabuildError
from orchestrator.core.retry import RetryPolicy, retried
from orchestrator.registry.authorizer import Authorizer, Need
from orchestrator.registry.errors import NotFoundError, RateLimitedError, RegistryError, pause_before_retry
from orchestrator.registry.headers import parse_challenges, retry_after
from orchestrator.registry.http import Http
from orchestrator.registry.wire import Answer, Request, Stream

POLICY = RetryPolicy(attempts=5, first_pause=0.5, longest_pause=30.0, budget=300.0)
_TRANSIENT = frozenset({408, 425, 429, 499, 500, 502, 503, 504, 521, 522, 523, 524})
_LONGEST_ERROR = 64 * 1024
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call:
    """A request to a registry: `what` names its object in errors, `path` is below `/v2/` or a whole address."""

    need: Need
    what: str
    method: str
    path: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | Path = b""
    is_long: bool = False

    def request(self, authorization: str) -> Request:
        """The HTTP request; a login goes to the registry's own address only."""
        endpoint = self.need.endpoint
        is_absolute = self.path.startswith(("http://", "https://"))
        url = self.path if is_absolute else endpoint.url(self.path)
        request = Request(self.method, url, self.headers, self.body, self.is_long)
        is_home = url.startswith(f"{endpoint.scheme}://{endpoint.authority}/")
        if not authorization or not is_home:
            return request
        return replace(request, headers=(*self.headers, ("Authorization", authorization)))


class Session:
    """Sends calls, logs in where asked, tries again what can pass, and turns bad answers into errors."""

    def __init__(self, http: Http, authorizer: Authorizer, policy: RetryPolicy = POLICY) -> None:
        self.http = http
        self._authorizer = authorizer
        self._policy = policy

    def answer(self, call: Call, limit: int = 0) -> Answer:
        """The whole answer of a call that went well, at most `limit` bytes (0: the bound for small answers)."""
        return self.retried(call, lambda: self.open(call).answer(limit or self.http.limits.answer))

    def stream(self, call: Call) -> Stream:
        """The answer of a call that went well, before its body."""
        return self.retried(call, lambda: self.open(call))

    def retried(self, call: Call, action: Callable[[], T]) -> T:
        """Run an action under the retry policy; a mirror gets one chance, since the registry itself comes next."""
        policy = replace(self._policy, attempts=1) if call.need.endpoint.is_mirror else self._policy
        return retried(action, policy, pause_before_retry, sleep=self.http.clock.sleep)

    def open(self, call: Call) -> Stream:
        """One attempt: send, log in where the registry asks for it, and raise for a bad status."""
        authorization = self._authorizer.known(call.need)
        stream = self.http.stream(call.request(authorization))
        if stream.status == 401 and _is_home(stream, call):
            challenges = parse_challenges(stream.header_fields("WWW-Authenticate"))
            stream.close()
            authorization = self._authorizer.answer(call.need, challenges, refused=authorization)
            stream = self.http.stream(call.request(authorization))
        if not 200 <= stream.status < 300:
            raise self._error(stream, call)
        return stream

    def _error(self, stream: Stream, call: Call) -> MabuildError:
        host, status = stream.request.authority, stream.status
        pause = retry_after(stream.header("Retry-After"), self.http.clock.now())
        told = _told(stream)
        match status:
            case 404 if _is_home(stream, call):
                return NotFoundError(f"{call.what} is not there{told}", hint=f"{host} answers 404")
            case 401 | 403 if _is_home(stream, call):
                return self._authorizer.refusal(call.need, status)
            case 429:
                return RateLimitedError(
                    f"{host} had too many requests{told}",
                    hint=f"a login often has a higher limit: docker login {call.need.endpoint.host}",
                    status=status,
                    transient=True,
                    pause=pause,
                )
            case _:
                return RegistryError(
                    f"{host} answers {status} to {call.method} {call.what}{told}",
                    status=status,
                    transient=status in _TRANSIENT,
                    pause=pause,
                )


def _is_home(stream: Stream, call: Call) -> bool:
    """Whether the registry itself answered, and not a storage that it redirects to."""
    return stream.request.authority == call.need.endpoint.authority


def _told(stream: Stream) -> str:
    """What the registry says about an error, for the end of a sentence (distribution-spec, error codes)."""
    try:
        content = stream.answer(_LONGEST_ERROR).content
        errors = json.loads(content)["errors"]
        text = f"{errors[0].get('code') or ''} {errors[0].get('message') or ''}".strip()
    except (MabuildError, ValueError, RecursionError, KeyError, IndexError, TypeError, AttributeError):
        return ""
    text = "".join(character for character in text if character.isprintable())
    return f": {text[:200]}" if text else ""
