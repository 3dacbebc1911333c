"""Retrying: what is tried again, how long it pauses, and when it gives up."""

from __future__ import annotations

import pytest

from orchestrator.core.retry import RetryPolicy, retried


class Flaky:
    def __init__(self, failures: list[BaseException]) -> None:
        self.failures = failures
        self.calls = 0

    def __call__(self) -> str:
        self.calls += 1
        if self.failures:
            raise self.failures.pop(0)
        return "done"


def transient(error: BaseException) -> float | None:
    return {"later": 7.0, "soon": 0.0}.get(str(error))


def test_tries_again_until_it_works_and_honours_the_asked_pause() -> None:
    pauses: list[float] = []
    told: list[tuple[int, str]] = []
    call = Flaky([OSError("soon"), OSError("later")])
    result = retried(
        call,
        RetryPolicy(attempts=4, first_pause=1.0),
        transient,
        on_retry=lambda attempt, pause, error: told.append((attempt, str(error))),
        sleep=pauses.append,
    )
    assert result == "done"
    assert 0.5 <= pauses[0] <= 1.0
    assert pauses[1] == 7.0
    assert told == [(1, "soon"), (2, "later")]


def test_what_stays_wrong_is_not_tried_again() -> None:
    call = Flaky([OSError("denied"), OSError("soon")])
    with pytest.raises(OSError, match="denied"):
        retried(call, RetryPolicy(), transient, sleep=lambda _: None)
    assert call.calls == 1


def test_gives_up_with_the_last_error() -> None:
    call = Flaky([OSError("soon") for _ in range(9)])
    with pytest.raises(OSError, match="soon"):
        retried(call, RetryPolicy(attempts=3), transient, sleep=lambda _: None)
    assert call.calls == 3


def test_stops_before_a_pause_that_the_budget_cannot_hold() -> None:
    call = Flaky([OSError("later") for _ in range(9)])
    with pytest.raises(OSError, match="later"):
        retried(call, RetryPolicy(attempts=5, budget=5.0), transient, sleep=lambda _: None)
    assert call.calls == 1
