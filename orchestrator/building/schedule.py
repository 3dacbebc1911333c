"""Tasks of a graph side by side: within limits, longest remaining way first, failures only to what depends on them."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from typing import Generic, TypeVar

R = TypeVar("R")
_TICK = 0.2


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of work. `takes` says how much of which limit it uses while it runs; `seconds` is a guess."""

    name: str
    needs: tuple[str, ...] = ()
    takes: tuple[tuple[str, int], ...] = ()
    seconds: float = 1.0


@dataclass(frozen=True, slots=True)
class Limits:
    """How many tasks run at once in all, and how much of each named thing there is."""

    parallel: int
    most: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scheduler(Generic[R]):
    """How tasks are run.

    `work` gives a result also for what failed, and `is_good` tells them apart; `skip` makes the result of a task that
    was never started, from the reason. When `stopping` turns true nothing starts any more and `on_stop` is called once.
    """

    work: Callable[[Task], R]
    is_good: Callable[[R], bool]
    skip: Callable[[Task, str], R]
    limits: Limits
    keep_going: bool = True
    stopping: Callable[[], bool] = bool
    on_stop: Callable[[], None] = lambda: None

    def run(self, tasks: tuple[Task, ...]) -> tuple[R, ...]:
        """One result for each task, in the order of the tasks. CycleError where they wait for each other."""
        state = _State(self, tasks)
        if tasks:
            with ThreadPoolExecutor(max(1, min(self.limits.parallel, len(tasks))), "cell") as pool:
                state.run(pool)
        return tuple(
            state.results[task.name] if task.name in state.results else self.skip(task, state.reason(task))
            for task in tasks
        )


class _State(Generic[R]):
    """One run of a graph; only the thread that runs it touches this."""

    def __init__(self, scheduler: Scheduler[R], tasks: tuple[Task, ...]) -> None:
        self._scheduler = scheduler
        self._tasks = {task.name: task for task in tasks}
        self._sorter = TopologicalSorter({task.name: task.needs for task in tasks})
        self._sorter.prepare()
        self._ways = remaining_ways(tasks)
        self._order = {task.name: place for place, task in enumerate(tasks)}
        self._ready: list[tuple[float, int, str]] = []
        self._used: dict[str, int] = {}
        self._running: dict[Future[R], Task] = {}
        self._first_failure = ""
        self._stopped = False
        self.results: dict[str, R] = {}

    def run(self, pool: ThreadPoolExecutor) -> None:
        """Start and collect until nothing can be started and nothing runs."""
        try:
            while True:
                self._heed_stop()
                self._start_all(pool)
                if not self._running:
                    return
                done, _ = wait(self._running, _TICK, FIRST_COMPLETED)
                for future in done:
                    self._collect(future)
        except BaseException:
            self._stop()
            raise

    def reason(self, task: Task) -> str:
        """Why a task was never started."""
        for need in task.needs:
            root = self._root(need)
            if root in self.results and not self._is_good(root):
                return f"needs {need}" if root == need else f"needs {need}, which needs {root}"
        if self._stopped:
            return "interrupted"
        return f"not started after {self._first_failure} failed"

    def _root(self, name: str) -> str:
        while name not in self.results:
            bad = [need for need in self._tasks[name].needs if not self._is_good(need)]
            if not bad:
                return name
            name = bad[0]
        return name

    def _is_good(self, name: str) -> bool:
        return name in self.results and self._scheduler.is_good(self.results[name])

    def _heed_stop(self) -> None:
        if not self._stopped and self._scheduler.stopping():
            self._stop()

    def _stop(self) -> None:
        if not self._stopped:
            self._stopped = True
            self._scheduler.on_stop()

    def _start_all(self, pool: ThreadPoolExecutor) -> None:
        for name in self._sorter.get_ready():
            heapq.heappush(self._ready, (-self._ways[name], self._order[name], name))
        if self._stopped or (self._first_failure and not self._scheduler.keep_going):
            return
        waiting, awaited = [], set[str]()
        while self._ready and len(self._running) < self._scheduler.limits.parallel:
            entry = heapq.heappop(self._ready)
            task = self._tasks[entry[2]]
            lacking = {thing for thing, amount in self._takes(task) if not self._fits(thing, amount)}
            if lacking or awaited & {thing for thing, _ in task.takes}:
                # What a longer way waits for is kept free for it; otherwise light tasks would starve a heavy one.
                awaited |= lacking
                waiting.append(entry)
            else:
                self._start(pool, task)
        for entry in waiting:
            heapq.heappush(self._ready, entry)

    def _start(self, pool: ThreadPoolExecutor, task: Task) -> None:
        for thing, amount in self._takes(task):
            self._used[thing] = self._used.get(thing, 0) + amount
        self._running[pool.submit(self._scheduler.work, task)] = task

    def _collect(self, future: Future[R]) -> None:
        task = self._running.pop(future)
        for thing, amount in self._takes(task):
            self._used[thing] -= amount
        result = future.result()
        self.results[task.name] = result
        if self._scheduler.is_good(result):
            self._sorter.done(task.name)
        else:
            self._first_failure = self._first_failure or task.name

    def _takes(self, task: Task) -> list[tuple[str, int]]:
        """What it takes; a task that is heavier than all there is takes all there is."""
        most = self._scheduler.limits.most
        return [(thing, min(amount, most[thing])) for thing, amount in task.takes if thing in most]

    def _fits(self, thing: str, amount: int) -> bool:
        return self._used.get(thing, 0) + amount <= self._scheduler.limits.most[thing]


def remaining_ways(tasks: tuple[Task, ...]) -> dict[str, float]:
    """For each task the seconds from its start to the end of the longest chain that waits for it."""
    known = {task.name: task for task in tasks}
    after: dict[str, float] = dict.fromkeys(known, 0.0)
    order = tuple(TopologicalSorter({task.name: task.needs for task in tasks}).static_order())
    for name in reversed(order):
        for need in known[name].needs:
            after[need] = max(after[need], after[name] + known[name].seconds)
    return {name: after[name] + task.seconds for name, task in known.items()}
