"""One cell built: failures are classified, what may pass is tried again, and a rate limit cools down a registry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Lock

from orchestrator.building.classify import TREATMENTS, Kind, Verdict, classify
from orchestrator.building.options import Doors, Options
from orchestrator.buildx.build import BuildFailedError, BuildRequest, Built, Limits, StalledError
from orchestrator.buildx.process import StoppedError
from orchestrator.core.errors import MabuildError
from orchestrator.core.event import Listener, Notice, Phase, StateChanged
from orchestrator.core.retry import retried

_TICK = 0.5
_HOST = re.compile(r"https?://([A-Za-z0-9.:-]+)/v2/")


class Cooldowns:
    """Registries that asked to be left alone for a while, shared by all cells."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._until: dict[str, float] = {}
        self._clock = clock
        self._lock = Lock()

    def cool(self, host: str, seconds: float) -> None:
        """Leave a registry alone for some seconds from now."""
        with self._lock:
            self._until[host] = max(self._until.get(host, 0.0), self._clock() + seconds)

    def left(self, hosts: frozenset[str]) -> float:
        """Seconds until all of some registries may be asked again."""
        with self._lock:
            return max((self._until.get(host, 0.0) - self._clock() for host in hosts), default=0.0)


@dataclass(frozen=True, slots=True)
class Made:
    """A digest, how many attempts it took, and the builder that made it."""

    digest: str
    attempts: int
    builder: str


class AttemptFailedError(MabuildError):
    """The last attempt failed, or the first one for good; `attempts` counts them."""

    def __init__(self, verdict: Verdict, error: MabuildError, attempts: int) -> None:
        super().__init__(error.message, hint=verdict.advice or error.hint)
        self.verdict = verdict
        self.error = error
        self.attempts = attempts

    @property
    def log(self) -> tuple[str, ...]:
        """The last lines of the failed step, then its lines in the Dockerfile."""
        if not isinstance(self.error, BuildFailedError):
            return ()
        failure = self.error.failure
        return (*failure.log, *failure.source)

    @property
    def reason(self) -> str:
        """Step, error, class and what mends it, in one line."""
        step = self.error.failure.name if isinstance(self.error, BuildFailedError) else ""
        parts = [f"{step}: {self.message}" if step else self.message]
        if self.verdict.kind is not Kind.PERMANENT:
            parts.append(f"{self.verdict.kind.value}, after {self.attempts} attempt(s)")
        return "; ".join([*parts, *([self.hint] if self.hint else [])])


@dataclass(slots=True)
class Attempts:
    """The attempts at one cell. `hosts` are the registries that it pulls from and pushes to.

    `builders` are those that can build it in the same mode, the planned one first: a builder that fails gives way to
    the next. `adopt` asks whether a digest that a stalled build was pushing has arrived after all.
    """

    doors: Doors
    options: Options
    listener: Listener
    cooldowns: Cooldowns
    hosts: frozenset[str]
    builders: tuple[str, ...]
    emulated: bool
    adopt: Callable[[str], bool]
    count: int = 0
    again: Counter[Kind] = field(default_factory=Counter)

    def make(self, request: BuildRequest, timeout: float) -> Made:
        """Build, again where it may help; AttemptFailedError, or StoppedError when mabuild is being stopped."""
        limits = Limits(timeout, self.options.silence)
        return retried(
            lambda: self._once(request, limits),
            self.options.retry,
            self._pause,
            on_retry=lambda attempt, pause, error: self._tell(request, attempt, pause, error),
            sleep=self._rest,
        )

    def _once(self, request: BuildRequest, limits: Limits) -> Made:
        self._rest(self.cooldowns.left(self.hosts))
        self.count += 1
        self.listener(StateChanged(request.task, Phase.BUILDING))
        request = self._adapted(request)
        try:
            return Made(self._built(request, limits).digest, self.count, request.builder)
        except StoppedError:
            raise
        except MabuildError as error:
            verdict = self._verdict(error)
            self.again[verdict.kind] += 1
            raise AttemptFailedError(verdict, error, self.count) from error

    def _adapted(self, request: BuildRequest) -> BuildRequest:
        """The build as earlier failures leave it: at the next builder, or without a cache that failed it."""
        if self.again[Kind.CACHE]:
            request = replace(request, cache_from=(), cache_to=())
        return replace(request, builder=self.builders[self.again[Kind.BUILDKIT] % len(self.builders)])

    def _built(self, request: BuildRequest, limits: Limits) -> Built:
        try:
            return self.doors.builder.build(request, self.listener, limits)
        except StalledError as error:
            if not error.exported or not self.adopt(error.exported):
                raise
            self.listener(Notice(request.task, f"{error.message}, but {error.exported} has arrived: taken as built"))
            return Built(error.exported)

    def _verdict(self, error: MabuildError) -> Verdict:
        if isinstance(error, BuildFailedError):
            verdict = classify(error.failure, emulated=self.emulated)
        elif isinstance(error, StalledError):
            verdict = Verdict(Kind.STALL, "no sign of life", "give it more time with --timeout")
        else:
            verdict = Verdict(Kind.PERMANENT, "")
        if verdict.kind is Kind.RATE_LIMIT:
            pause = max(verdict.retry_after, TREATMENTS[Kind.RATE_LIMIT].pause)
            found = _HOST.search(error.message)
            for host in {found.group(1)} if found else self.hosts:
                self.cooldowns.cool(host, pause)
        return verdict

    def _pause(self, error: BaseException) -> float | None:
        if not isinstance(error, AttemptFailedError):
            return None
        treatment = TREATMENTS[error.verdict.kind]
        if self.again[error.verdict.kind] > treatment.again:
            return None
        return max(treatment.pause, error.verdict.retry_after)

    def _tell(self, request: BuildRequest, attempt: int, pause: float, error: BaseException) -> None:
        if isinstance(error, AttemptFailedError):
            verdict = error.verdict
            why = f"{verdict.kind.value} ({verdict.words})" if verdict.words else verdict.kind.value
            text = f"attempt {attempt} failed: {why}; again in {pause:.0f} s"
            self.listener(StateChanged(request.task, Phase.RETRYING, text))
            self.listener(Notice(request.task, text))

    def _rest(self, seconds: float) -> None:
        """Sleep, but not through a stop."""
        end = self.doors.clock() + seconds
        while (left := end - self.doors.clock()) > 0:
            if self.doors.stopping():
                raise StoppedError("interrupted")
            self.doors.sleep(min(_TICK, left))
