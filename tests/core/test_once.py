"""A value is made once, however many ask for it at the same time."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from orchestrator.core.once import Once


def test_many_threads_one_value() -> None:
    once: Once[str, int] = Once()
    calls: list[str] = []

    def make() -> int:
        calls.append("made")
        time.sleep(0.05)
        return 7

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda _: once.of("key", make), range(20))) == [7] * 20
    assert calls == ["made"]


def test_keys_do_not_wait_for_each_other() -> None:
    once: Once[str, int] = Once()
    other_is_made = threading.Event()

    def slow() -> int:
        assert once.of("other", lambda: 2) == 2
        other_is_made.set()
        return 1

    assert once.of("slow", slow) == 1
    assert other_is_made.is_set()


def test_an_error_is_remembered_too() -> None:
    once: Once[str, int] = Once()

    def fail() -> int:
        raise ValueError("no")

    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            once.of("key", fail)
