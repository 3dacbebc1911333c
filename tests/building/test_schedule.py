"""The scheduler keeps order and limits, and lets a failure reach only what depends on it, on any graph."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from graphlib import CycleError

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.building.schedule import Limits, Scheduler, Task, remaining_ways


@dataclass
class Recorder:
    """Runs tasks that end at once, and watches what runs beside what."""

    failing: frozenset[str] = frozenset()
    pause: float = 0.0
    started: list[str] = field(default_factory=list)
    running: set[str] = field(default_factory=set)
    together: list[frozenset[str]] = field(default_factory=list)
    ended: set[str] = field(default_factory=set)
    too_early: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def work(self, task: Task) -> str:
        with self.lock:
            if not set(task.needs) <= self.ended:
                self.too_early.append(task.name)
            self.started.append(task.name)
            self.running.add(task.name)
            self.together.append(frozenset(self.running))
        time.sleep(self.pause)
        with self.lock:
            self.running.discard(task.name)
            self.ended.add(task.name)
        return "failed" if task.name in self.failing else "good"

    def scheduler(self, limits: Limits, *, keep_going: bool = True) -> Scheduler[str]:
        return Scheduler(
            self.work, lambda result: result == "good", lambda _, why: f"skipped: {why}", limits, keep_going=keep_going
        )


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Task, ...]:
    count = draw(st.integers(1, 14))
    tasks = []
    for number in range(count):
        needs = draw(st.sets(st.integers(0, number - 1), max_size=3)) if number else set()
        takes = tuple((thing, draw(st.integers(1, 3))) for thing in draw(st.sets(st.sampled_from("ab"))))
        tasks.append(Task(f"t{number}", tuple(f"t{need}" for need in sorted(needs)), takes, draw(st.floats(0, 9))))
    return tuple(draw(st.permutations(tasks)))


@settings(max_examples=60, deadline=None)
@given(graphs(), st.integers(1, 4), st.integers(1, 3), st.data())
def test_any_graph(tasks: tuple[Task, ...], parallel: int, most: int, data: st.DataObject) -> None:
    failing = frozenset(data.draw(st.sets(st.sampled_from([task.name for task in tasks]), max_size=3)))
    recorder = Recorder(failing)
    results = recorder.scheduler(Limits(parallel, {"a": most, "b": most})).run(tasks)
    by_name = dict(zip([task.name for task in tasks], results, strict=True))
    cut_off = dependents(tasks, failing)
    assert not recorder.too_early
    assert len(recorder.started) == len(set(recorder.started))
    assert {name for name, result in by_name.items() if result.startswith("skipped: needs")} == cut_off
    assert {name for name, result in by_name.items() if result == "failed"} == failing - cut_off
    assert all(len(together) <= parallel for together in recorder.together)
    known = {task.name: task for task in tasks}
    for together in recorder.together:
        for thing in "ab":
            assert sum(min(dict(known[name].takes).get(thing, 0), most) for name in together) <= most


def dependents(tasks: tuple[Task, ...], failing: frozenset[str]) -> set[str]:
    cut_off: set[str] = set()
    grown = True
    while grown:
        grown = False
        for task in tasks:
            if task.name not in cut_off and set(task.needs) & (failing | cut_off):
                cut_off.add(task.name)
                grown = True
    return cut_off


def test_the_longest_way_goes_first() -> None:
    tasks = (Task("short", seconds=5), Task("first", seconds=1), Task("then", ("first",), seconds=9))
    recorder = Recorder()
    recorder.scheduler(Limits(1)).run(tasks)
    assert recorder.started == ["first", "then", "short"]
    assert remaining_ways(tasks) == {"short": 5, "first": 10, "then": 9}


def test_a_heavy_task_is_not_starved_by_light_ones() -> None:
    heavy = Task("heavy", takes=(("node", 2),), seconds=50)
    light = tuple(Task(f"light{number}", takes=(("node", 1),), seconds=number) for number in range(6))
    recorder = Recorder(pause=0.01)
    recorder.scheduler(Limits(8, {"node": 2})).run((*light, heavy))
    assert recorder.started[0] == "heavy"


def test_the_reason_names_the_root() -> None:
    tasks = (Task("a"), Task("b", ("a",)), Task("c", ("b",)))
    results = Recorder(frozenset("a")).scheduler(Limits(2)).run(tasks)
    assert results == ("failed", "skipped: needs a", "skipped: needs b, which needs a")


def test_without_keep_going_nothing_starts_after_a_failure() -> None:
    tasks = (Task("a", seconds=9), Task("b"), Task("c"))
    results = Recorder(frozenset("a")).scheduler(Limits(1), keep_going=False).run(tasks)
    assert results == ("failed", "skipped: not started after a failed", "skipped: not started after a failed")


def test_a_stop_ends_what_runs_and_starts_nothing() -> None:
    stop, ended = threading.Event(), threading.Event()
    calls: list[str] = []

    def work(task: Task) -> str:
        stop.set()
        assert ended.wait(30)
        return "failed"

    def on_stop() -> None:
        calls.append("stop")
        ended.set()

    scheduler = Scheduler(
        work, lambda result: result == "good", lambda _, why: why, Limits(1), stopping=stop.is_set, on_stop=on_stop
    )
    assert scheduler.run((Task("a"), Task("b"))) == ("failed", "interrupted")
    assert calls == ["stop"]


def test_a_fault_in_the_work_is_raised_after_the_stop() -> None:
    calls: list[str] = []

    def work(task: Task) -> str:
        raise ZeroDivisionError

    scheduler = Scheduler(work, bool, lambda _, why: why, Limits(1), on_stop=lambda: calls.append("stop"))
    with pytest.raises(ZeroDivisionError):
        scheduler.run((Task("a"),))
    assert calls == ["stop"]


def test_a_cycle_is_refused() -> None:
    with pytest.raises(CycleError):
        Recorder().scheduler(Limits(1)).run((Task("a", ("b",)), Task("b", ("a",))))


def test_no_tasks_no_results() -> None:
    assert Recorder().scheduler(Limits(1)).run(()) == ()
