"""Fetches pages of package indexes, and keeps them on disk with what is needed to ask whether they changed."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from orchestrator.core.errors import MabuildError
from orchestrator.core.fleet import RegistrySettings
from orchestrator.core.image import sha256
from orchestrator.core.retry import RetryPolicy, retried
from orchestrator.registry.clock import CLOCK, Clock
from orchestrator.registry.errors import LoginError, RegistryError, TooLargeError, pause_before_retry
from orchestrator.registry.headers import retry_after
from orchestrator.registry.hosts import Hosts
from orchestrator.registry.http import Http
from orchestrator.registry.packages.logins import Logins, without_login
from orchestrator.registry.wire import Answer, Limits, Request

LARGEST_PAGE = 64 * 1024 * 1024
_FRESH_SECONDS = 600.0
"""How long a page is taken without asking, as pip does."""
_POLICY = RetryPolicy(attempts=3, first_pause=0.5, longest_pause=5.0, budget=60.0)
_LIMITS = Limits(connect=10.0, silence=30.0, exchange=60.0, patience=30.0, at_once=8)


class AbsentError(MabuildError):
    """A page that is not there (404, or 410)."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it came: its address without a login, its type, and its content."""

    address: str
    media_type: str
    content: bytes


class Pages:
    """Reads pages over HTTP. Safe for threads. What `digest` makes of a page is kept in `folder` as JSON."""

    def __init__(
        self,
        folder: Path,
        environment: Mapping[str, str],
        *,
        certificates: str = "",
        trusted: frozenset[str] = frozenset(),
        policy: RetryPolicy = _POLICY,
        clock: Clock = CLOCK,
    ) -> None:
        self._folder = folder
        self._environment = environment
        self._logins = Logins(environment)
        self._settings = _Settings(certificates, trusted)
        self._http = Http(self._settings, environment, limits=_LIMITS, clock=clock)
        self._policy = policy
        self._clock = clock

    @property
    def requests(self) -> int:
        """How many requests were sent."""
        return self._http.traffic.requests

    def close(self) -> None:
        """Close all idle connections."""
        self._http.close()

    def read(self, url: str, accept: str, digest: Callable[[Page], Any], limit: int = LARGEST_PAGE) -> Any:  # noqa: ANN401
        """What `digest` makes of a page, from the disk where the page did not change.

        AbsentError where there is none, RegistryError where the index does not answer, LoginError where it refuses.
        """
        plain = without_login(url)
        path = self._folder / f"{sha256(f'{plain} {accept}'.encode()).partition(':')[2]}.json"
        kept = _kept(path)
        if kept is not None and 0 <= self._clock.now() - kept["at"] < kept["fresh"]:
            return kept["value"]
        answer = retried(
            lambda: self._answer(url, accept, kept, limit), self._policy, pause_before_retry, sleep=self._clock.sleep
        )
        if answer.status == 304 and kept is not None:
            self._keep(path, {**kept, "at": self._clock.now()})
            return kept["value"]
        page = Page(without_login(answer.url), answer.header("content-type"), _plain(answer, limit))
        value = digest(page)
        self._keep(
            path,
            {
                "at": self._clock.now(),
                "fresh": _freshness(answer.header("cache-control")),
                "etag": answer.header("etag"),
                "modified": answer.header("last-modified"),
                "value": value,
            },
        )
        return value

    def _answer(self, url: str, accept: str, kept: Mapping[str, Any] | None, limit: int) -> Answer:
        headers = [("Accept", accept), ("Accept-Encoding", "gzip"), *self._logins.headers(url)]
        if kept is not None and kept["etag"]:
            headers.append(("If-None-Match", kept["etag"]))
        elif kept is not None and kept["modified"]:
            headers.append(("If-Modified-Since", kept["modified"]))
        answer = self._http.exchange(Request("GET", without_login(url), tuple(headers)), limit)
        _require_fine(answer, urlsplit(without_login(url)).netloc, self._clock)
        return answer

    def _keep(self, path: Path, fields: Mapping[str, Any]) -> None:
        """Write so that a reader never sees a half file; a cache that cannot be written is no fault."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(f".{id(fields)}")
            partial.write_text(json.dumps(fields, separators=(",", ":")), encoding="utf-8")
            partial.replace(path)
        except OSError:
            return


class _Settings(Hosts):
    """The same certificates for all hosts, and plain trust for those that the user trusts."""

    def __init__(self, certificates: str, trusted: frozenset[str]) -> None:
        super().__init__(())
        self._certificates = certificates
        self._trusted = trusted

    def settings(self, authority: str) -> RegistrySettings:
        """The settings of a host as it is asked."""
        is_trusted = bool({authority, authority.partition(":")[0]} & self._trusted)
        return RegistrySettings(authority, insecure=is_trusted, ca=self._certificates)


def _require_fine(answer: Answer, authority: str, clock: Clock) -> None:
    status = answer.status
    if status in {200, 304}:
        return
    if status in {404, 410}:
        raise AbsentError(f"{authority} has no such page")
    if status in {401, 403}:
        raise LoginError(
            f"{authority} refuses the login ({status})",
            status=status,
            hint="logins come from the index address, its environment variables, or ~/.netrc",
        )
    pause = retry_after(answer.header("retry-after"), clock.now())
    is_transient = status in {408, 425, 429} or status >= 500
    raise RegistryError(f"{authority} answers with {status}", status=status, transient=is_transient, pause=pause)


def _plain(answer: Answer, limit: int) -> bytes:
    if answer.header("content-encoding") != "gzip":
        return answer.content
    try:
        unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
        content = unpacker.decompress(answer.content, limit)
    except zlib.error as error:
        raise RegistryError(f"{urlsplit(answer.url).netloc} sends what is no gzip") from error
    if unpacker.unconsumed_tail:
        raise TooLargeError(f"{urlsplit(answer.url).netloc} sends more than the {limit:,} bytes that are read")
    return content


def _freshness(control: str) -> float:
    """Seconds for which the index says that the page holds, at most a day; ten minutes where it says nothing."""
    words = [word.strip().lower() for word in control.split(",")]
    if "no-store" in words or "no-cache" in words:
        return 0.0
    ages = [word.partition("=")[2] for word in words if word.startswith("max-age=")]
    return min(float(ages[0]), 86400.0) if ages and ages[0].isdigit() else _FRESH_SECONDS


def _kept(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    is_whole = isinstance(found, dict) and {"at", "fresh", "etag", "modified", "value"} <= found.keys()
    return found if is_whole else None
