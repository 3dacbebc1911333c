"""When something is tried again: one policy, the only place that knows tenacity."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long: seconds of the first and the longest pause, and of all attempts together."""

    attempts: int = 4
    first_pause: float = 1.0
    longest_pause: float = 60.0
    budget: float = 600.0


def retried(
    call: Callable[[], T],
    policy: RetryPolicy,
    transient: Callable[[BaseException], float | None],
    *,
    on_retry: Callable[[int, float, BaseException], None] = lambda *_: None,
    sleep: Callable[[float], None],
) -> T:
    """Call until it returns, fails for good, or the policy is used up; then the last error is raised.

    `transient` gives None for an error that stays, else the least pause in seconds (0.0 where the error names none;
    a Retry-After otherwise). `on_retry` hears the attempt that failed, the coming pause and the error.
    """
    import tenacity

    def pause(state: tenacity.RetryCallState) -> float:
        error = _error(state)
        ceiling = min(policy.longest_pause, policy.first_pause * 2.0 ** (state.attempt_number - 1))
        asked = transient(error) or 0.0
        return max(asked, random.uniform(ceiling / 2, ceiling))  # noqa: S311

    def tell(state: tenacity.RetryCallState) -> None:
        on_retry(state.attempt_number, state.next_action.sleep if state.next_action else 0.0, _error(state))

    retrying = tenacity.Retrying(
        stop=tenacity.stop_after_attempt(policy.attempts) | tenacity.stop_before_delay(policy.budget),
        wait=pause,
        retry=tenacity.retry_if_exception(lambda error: transient(error) is not None),
        before_sleep=tell,
        sleep=sleep,
        reraise=True,
    )
    return retrying(call)


def _error(state: object) -> BaseException:
    outcome = getattr(state, "outcome", None)
    error = outcome.exception() if outcome is not None else None
    return error if error is not None else RuntimeError("no outcome")
