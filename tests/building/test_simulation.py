"""Large fleets with simulated cells: limits are kept, and the schedule is near the shortest possible."""

from __future__ import annotations

import heapq
import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Self

import pytest

from orchestrator.building import schedule
from orchestrator.building.schedule import Limits, Scheduler, Task, remaining_ways
from orchestrator.buildx.build import BuildRequest, Built
from orchestrator.buildx.build import Limits as BuildLimits
from orchestrator.core.event import Listener
from orchestrator.core.plan import Mode, Node, NodePlatform
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from tests.building.conftest import Yard
from tests.building.simulated import SimulatedBuilder
from tests.faults.registry_server import RegistryServer


@pytest.fixture
def server() -> Iterator[RegistryServer]:
    with RegistryServer() as server:
        yield server


def two_nodes(parallel: int) -> tuple[Node, ...]:
    return tuple(
        Node(name, name, "remote", platforms=(NodePlatform(platform, Mode.NATIVE, "said"),), parallel=parallel)
        for name, platform in (("amd", LINUX_AMD64), ("arm", LINUX_ARM64))
    )


class Counting:
    """Counts how many builds run at once, on each builder and in all."""

    def __init__(self, builder: SimulatedBuilder) -> None:
        self.builder = builder
        self.running: dict[str, int] = {}
        self.most: dict[str, int] = {}
        self.lock = Lock()

    def build(self, request: BuildRequest, listener: Listener, limits: BuildLimits) -> Built:
        self.count(request, 1)
        time.sleep(0.02)
        try:
            return self.builder.build(request, listener, limits)
        finally:
            self.count(request, -1)

    def count(self, request: BuildRequest, change: int) -> None:
        with self.lock:
            for name in (request.builder, "registry"):
                self.running[name] = self.running.get(name, 0) + change
                self.most[name] = max(self.most.get(name, 0), self.running[name])

    def stop(self) -> None:
        self.builder.stop()


def test_limits_of_nodes_and_registries(server: RegistryServer, tmp_path: Path) -> None:
    yard = Yard(tmp_path, {"BUILDX_BUILDER": "none", "MABUILD_LAB_REGISTRY": server.address}, server.address, "acme")
    for number in range(10):
        yard.service(f"s{number}", "FROM scratch\nCOPY word /\n", {"word": str(number)})
    yard.nodes = two_nodes(2)
    counting = Counting(SimulatedBuilder(yard.store))
    assert yard.build(doors=yard.doors(builder=counting), parallel=8).is_good
    most = counting.most
    assert most["amd"] <= 2
    assert most["arm"] <= 2
    assert most["registry"] == 4


def test_two_hundred_services_on_two_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most 1.1 times the lower bound: the longest chain, or all work over all places."""
    chance = random.Random(3)
    tasks = []
    for number in range(200):
        for node in ("amd", "arm"):
            needs = {chance.randrange(number) for _ in range(chance.choice([0, 0, 1, 1, 2]))} if number else set()
            seconds = chance.choice([1, 2, 3, 5, 8, 20]) * (1.0 if node == "amd" else 1.5)
            tasks.append(
                Task(f"s{number}@{node}", tuple(f"s{one}@{node}" for one in sorted(needs)), ((node, 1),), seconds)
            )
    length = simulate(tuple(tasks), {"amd": 4, "arm": 4}, monkeypatch)
    work = max(sum(task.seconds for task in tasks if task.takes[0][0] == node) / 4 for node in ("amd", "arm"))
    assert length <= 1.1 * max(work, *remaining_ways(tuple(tasks)).values())


class VirtualTime:
    """A pool whose tasks take their seconds on a clock of its own, in the place of threads and of waiting for them."""

    def __init__(self, *_: object) -> None:
        VirtualTime.now = 0.0
        VirtualTime.running = []

    now = 0.0
    running: list[tuple[float, int, Future[bool]]] = []  # noqa: RUF012

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        assert not self.running

    def submit(self, work: Callable[[Task], bool], task: Task) -> Future[bool]:
        future: Future[bool] = Future()
        heapq.heappush(self.running, (self.now + task.seconds, id(future), future))
        return future

    @staticmethod
    def wait(*_running: object) -> tuple[set[Future[bool]], set[Future[bool]]]:
        VirtualTime.now, _number, future = heapq.heappop(VirtualTime.running)
        future.set_result(True)
        return {future}, set()


def simulate(tasks: tuple[Task, ...], most: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> float:
    """The length of the schedule in seconds."""
    monkeypatch.setattr(schedule, "ThreadPoolExecutor", VirtualTime)
    monkeypatch.setattr(schedule, "wait", VirtualTime.wait)
    assert all(Scheduler(lambda _: True, bool, lambda *_: False, Limits(16, most)).run(tasks))
    return VirtualTime.now


def test_a_failure_reaches_only_what_depends_on_it(server: RegistryServer, tmp_path: Path) -> None:
    yard = Yard(tmp_path, {"BUILDX_BUILDER": "none", "MABUILD_LAB_REGISTRY": server.address}, server.address, "acme")
    yard.service("base", "FROM scratch\nCOPY word /\n", {"word": "1"})
    yard.service("child", "FROM PREFIX/base\nCOPY word /\n", {"word": "2"})
    yard.service("alone", "FROM scratch\nCOPY word /\n", {"word": "3"})
    doors = yard.doors(builder=SimulatedBuilder(yard.store, failing={"base@linux/arm64"}))
    results = yard.build(doors=doors)
    assert yard.outcomes(results) == {
        "base@linux/amd64": "built",
        "base@linux/arm64": "failed",
        "child@linux/amd64": "built",
        "child@linux/arm64": "skipped",
        "alone@linux/amd64": "built",
        "alone@linux/arm64": "built",
    }
    assert [cell.reason for cell in results.cells if cell.outcome.value == "skipped"] == ["needs base@linux/arm64"]
    stopped = yard.build(doors=replace(doors, stopping=lambda: True))
    assert {cell.reason for cell in stopped.cells} == {"interrupted"}
