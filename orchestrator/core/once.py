"""Values that are costly and wanted by many threads: made once each, while those who ask meanwhile wait for them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Once(Generic[K, V]):
    """Remembers a value (or the error of making it) for each key; different keys do not wait for each other."""

    def __init__(self) -> None:
        self._made: dict[K, Future[V]] = {}
        self._lock = Lock()

    def of(self, key: K, make: Callable[[], V]) -> V:
        """The value of a key, made by the first who asks."""
        with self._lock:
            future = self._made.get(key)
            is_first = future is None
            if future is None:
                future = self._made[key] = Future()
        if is_first:
            try:
                future.set_result(make())
            except BaseException as error:  # noqa: BLE001 (handed on to everybody who waits)
                future.set_exception(error)
        return future.result()
