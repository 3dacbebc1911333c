"""Attempts at a cell, with a builder that fails as a script says: what no real builder does on demand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

import pytest

from orchestrator.building.attempt import AttemptFailedError, Attempts, Cooldowns, Made
from orchestrator.building.classify import Kind
from orchestrator.building.options import Doors, Options, Registry
from orchestrator.buildx.build import BuildFailedError, BuildRequest, Built, Limits, StalledError
from orchestrator.buildx.output import PushByDigest
from orchestrator.buildx.process import StoppedError
from orchestrator.buildx.progress import StepFailure
from orchestrator.core.errors import MabuildError, UnreachableError
from orchestrator.core.event import Event, Listener, Notice, Phase, StateChanged
from orchestrator.core.platform import LINUX_ARM64
from orchestrator.core.retry import RetryPolicy

DIGEST = f"sha256:{'a' * 64}"
RESET = BuildFailedError(StepFailure("exporting to image", "read: connection reset by peer"))
LIMITED = BuildFailedError(
    StepFailure(
        "exporting to image", "unexpected status from HEAD request to https://r.example/v2/x: 429 Too Many Requests"
    )
)
CRASH = BuildFailedError(StepFailure("[2/2] RUN x", 'process "x" did not complete successfully: exit code: 139'))
COMPILE = BuildFailedError(
    StepFailure(
        "[2/2] RUN make", 'process "make" did not complete successfully: exit code: 2', ("bad",), ("Dockerfile:2",)
    )
)
GONE = BuildFailedError(StepFailure("", "rpc error: code = Unavailable desc = closing transport"))
CACHE = BuildFailedError(StepFailure("exporting cache to registry", "400 Bad Request"))


@dataclass
class Script:
    """A builder and a clock: each build takes the next outcome of the list."""

    outcomes: list[MabuildError | str]
    requests: list[BuildRequest] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    now: float = 0.0
    stopping: bool = False

    def build(self, request: BuildRequest, listener: Listener, limits: Limits) -> Built:
        self.requests.append(request)
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, MabuildError):
            raise outcome
        return Built(outcome)

    def stop(self) -> None:
        raise NotImplementedError

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    def attempts(
        self,
        *,
        emulated: bool = False,
        adopt: Callable[[str], bool] = lambda _: False,
        cooldowns: Cooldowns | None = None,
    ) -> Attempts:
        doors = Doors(
            builder=self,
            store=cast("Registry", None),
            verify=lambda *_: (),
            clock=self.clock,
            now=str,
            sleep=self.sleep,
            stopping=lambda: self.stopping,
        )
        return Attempts(
            doors=doors,
            options=Options(retry=RetryPolicy(attempts=4, first_pause=3.0, longest_pause=120.0)),
            listener=self.events.append,
            cooldowns=cooldowns or Cooldowns(self.clock),
            hosts=frozenset({"r.example"}),
            builders=("first", "second"),
            emulated=emulated,
            adopt=adopt,
        )

    @property
    def notices(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Notice)]


REQUEST = BuildRequest(
    task="api@linux/arm64",
    builder="first",
    context="/src",
    dockerfile="/src/Dockerfile",
    platform=LINUX_ARM64,
    output=PushByDigest(("r.example/api",)),
    cache_from=("type=gha",),
    cache_to=("type=gha",),
)


def test_the_first_success_is_taken() -> None:
    script = Script([DIGEST])
    assert script.attempts().make(REQUEST, 0.0) == Made(DIGEST, 1, "first")
    assert script.pauses == []


def test_transient_trouble_is_tried_again_with_its_reason() -> None:
    script = Script([RESET, RESET, DIGEST])
    assert script.attempts().make(REQUEST, 0.0).attempts == 3
    assert len(script.notices) == 2
    assert script.notices[0].startswith("attempt 1 failed: network trouble (connection reset by peer); again in")
    phases = [event.phase for event in script.events if isinstance(event, StateChanged)]
    assert phases == [Phase.BUILDING, Phase.RETRYING, Phase.BUILDING, Phase.RETRYING, Phase.BUILDING]
    assert sum(script.pauses) >= 1.5 + 3.0


def test_it_is_given_up_after_the_last_attempt() -> None:
    with pytest.raises(AttemptFailedError) as caught:
        Script([RESET] * 4).attempts().make(REQUEST, 0.0)
    assert caught.value.attempts == 4
    assert "network trouble, after 4 attempt(s)" in caught.value.reason


def test_a_compile_error_is_told_at_once() -> None:
    script = Script([COMPILE])
    with pytest.raises(AttemptFailedError) as caught:
        script.attempts().make(REQUEST, 0.0)
    assert caught.value.attempts == 1
    assert caught.value.reason.startswith("[2/2] RUN make: process")
    assert caught.value.log == ("bad", "Dockerfile:2")
    assert script.notices == []


def test_an_emulator_crash_is_tried_once_more_and_then_explained() -> None:
    assert Script([CRASH, DIGEST]).attempts(emulated=True).make(REQUEST, 0.0).attempts == 2
    with pytest.raises(AttemptFailedError, match="exit code: 139") as caught:
        Script([CRASH, CRASH]).attempts(emulated=True).make(REQUEST, 0.0)
    assert "native node" in caught.value.reason
    with pytest.raises(AttemptFailedError):
        Script([CRASH]).attempts(emulated=False).make(REQUEST, 0.0)


def test_a_rate_limit_cools_the_registry_down_for_all() -> None:
    script = Script([LIMITED, DIGEST])
    cooldowns = Cooldowns(script.clock)
    script.attempts(cooldowns=cooldowns).make(REQUEST, 0.0)
    assert script.now >= 60.0
    other = Script([LIMITED, LIMITED, LIMITED])
    with pytest.raises(AttemptFailedError, match="429"):
        other.attempts().make(REQUEST, 0.0)
    cooldowns.cool("r.example", 30.0)
    waiting = Script([DIGEST], now=script.now)
    waiting.attempts(cooldowns=cooldowns).make(REQUEST, 0.0)
    assert sum(waiting.pauses) == pytest.approx(30.0)


def test_a_builder_that_is_gone_gives_way_to_the_next() -> None:
    script = Script([GONE, DIGEST])
    assert script.attempts().make(REQUEST, 0.0).builder == "second"
    assert [request.builder for request in script.requests] == ["first", "second"]


def test_a_cache_that_fails_is_left_out() -> None:
    script = Script([CACHE, DIGEST])
    script.attempts().make(REQUEST, 0.0)
    assert script.requests[0].cache_to
    assert not script.requests[1].cache_to
    assert not script.requests[1].cache_from


def test_a_stalled_build_is_adopted_when_its_push_has_arrived() -> None:
    script = Script([StalledError("gave no sign of life for 900 s", DIGEST)])
    assert script.attempts(adopt=lambda digest: digest == DIGEST).make(REQUEST, 0.0).digest == DIGEST
    assert "has arrived" in script.notices[0]


def test_a_stalled_build_is_started_once_more() -> None:
    stalled = StalledError("gave no sign of life for 900 s", "")
    assert Script([stalled, DIGEST]).attempts().make(REQUEST, 0.0).attempts == 2
    with pytest.raises(AttemptFailedError):
        Script([stalled, stalled]).attempts().make(REQUEST, 0.0)


def test_docker_that_is_not_there_is_told_at_once() -> None:
    with pytest.raises(AttemptFailedError) as caught:
        Script([UnreachableError("docker is not there", hint="install it")]).attempts().make(REQUEST, 0.0)
    assert caught.value.reason == "docker is not there; install it"
    assert caught.value.verdict.kind is Kind.PERMANENT


def test_a_stop_ends_a_pause() -> None:
    script = Script([RESET, DIGEST])
    attempts = script.attempts()
    script.stopping = True
    with pytest.raises(StoppedError):
        attempts.make(REQUEST, 0.0)
    assert len(script.requests) == 1


def test_a_stopped_build_is_not_tried_again() -> None:
    script = Script([StoppedError("docker was stopped")])
    with pytest.raises(StoppedError):
        script.attempts().make(REQUEST, 0.0)
