"""The nodes that can be used: each asked alone, all side by side, and judged by what a probe found on it."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock

from orchestrator.buildx.builderfile import engine_address
from orchestrator.buildx.builders import ensure_builder, last_line
from orchestrator.buildx.choice import Choosable, wrong_choices
from orchestrator.buildx.emulators import broken_emulator, registrations, state
from orchestrator.buildx.inspection import NOT_INSPECTED, Inspected, read_inspection
from orchestrator.buildx.judgement import judge, node_platforms
from orchestrator.buildx.limits import engine_limits
from orchestrator.buildx.memory import Memory
from orchestrator.buildx.probe import Answer, can_probe, probe
from orchestrator.buildx.process import TimeLimitError, run
from orchestrator.buildx.reach import why_unreachable
from orchestrator.buildx.sources import NodeSource, node_sources
from orchestrator.core.errors import MabuildError
from orchestrator.core.finding import Finding
from orchestrator.core.fleet import NodeSpec
from orchestrator.core.plan import Mode, Node, NodePlatform
from orchestrator.core.platform import Platform

_AT_ONCE = 16
_PROBE_SECONDS = 60.0
_LIFETIME = 7 * 24 * 3600.0
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Asking:
    """How to ask. `platforms` are those that somebody wants to build (none: whatever a node lists).

    `timeout` is how long a running node may take for an answer, in seconds; one that has to be started may take as
    long as its driver says. `now` is the time in seconds since 1970. `refresh` asks again what is remembered.
    """

    environment: Mapping[str, str]
    memory: Path
    platforms: tuple[Platform, ...] = ()
    builder: str = ""
    refresh: bool = False
    probe: bool = True
    timeout: float = 10.0
    now: float = field(default_factory=time.time)


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of asking one node; `status` says what is wrong where it did not answer."""

    source: NodeSource
    inspected: Inspected = NOT_INSPECTED
    answers: Mapping[str, Answer] = field(default_factory=dict)
    status: str = "running"


@dataclass(frozen=True, slots=True)
class Found:
    """All nodes, and warnings about builders with which plain buildx would do worse than it could."""

    nodes: tuple[Node, ...]
    findings: tuple[Finding, ...] = ()


def find_nodes(specs: tuple[NodeSpec, ...], asking: Asking) -> tuple[Node, ...]:
    """The nodes of `survey`, for who wants no more."""
    return survey(specs, asking).nodes


def survey(specs: tuple[NodeSpec, ...], asking: Asking) -> Found:
    """The nodes of the manifest, or of the builder. A node that does not answer is there with a status that says so.

    Raises UnreachableError where there is no such builder, and UsageError for a driver that does not exist.
    """
    sources = node_sources(specs, asking.environment, asking.builder)
    memory = Memory(asking.memory / "probes.json", asking.now, _LIFETIME)
    memory.load()
    listener = _Listener(asking, memory)
    with ThreadPoolExecutor(min(_AT_ONCE, max(1, len(sources)))) as pool:
        heard = tuple(pool.map(listener.hear, sources))
    if listener.learned:
        memory.save()
    baseline = _baseline(heard)
    nodes = tuple(_node(one, asking, baseline) for one in heard)
    shared = next((source.shared for source in sources if source.shared), "")
    wrong = _wrong_choices(shared, heard, nodes, asking) if shared else ()
    limits = (
        limit for one in heard for limit in engine_limits(one.source.spec.name, one.source.spec.driver, one.inspected)
    )
    return Found(nodes, (*wrong, *_broken_emulators(heard), *limits))


def _broken_emulators(heard: Iterable[Heard]) -> tuple[Finding, ...]:
    """Bad registrations in this machine's kernel, for the nodes that run on it."""
    found = registrations()
    kernel = this_boot()
    return tuple(
        broken_emulator(one.source.spec.name, known)
        for one in heard
        if any(answer.boot == kernel for answer in one.answers.values() if answer.boot)
        for answer in one.answers.values()
        if judge(answer).mode in {Mode.EMULATED, Mode.IMPOSSIBLE}
        and (known := state(answer.architecture, found)).registration
        and known.problem
    )


def _wrong_choices(
    builder: str, heard: tuple[Heard, ...], nodes: tuple[Node, ...], asking: Asking
) -> tuple[Finding, ...]:
    seen = tuple(
        Choosable(one.source.spec.name, one.source.declared, one.inspected.listed)
        for one in heard
        if one.status == "running"
    )
    native = (entry.platform for node in nodes for entry in node.platforms if entry.mode is Mode.NATIVE)
    return wrong_choices(builder, seen, nodes, asking.platforms or tuple(dict.fromkeys(native)))


@dataclass(slots=True)
class _Listener:
    asking: Asking
    memory: Memory
    learned: bool = False
    lock: Lock = field(default_factory=Lock)

    def hear(self, source: NodeSource) -> Heard:
        """Ask one node; whatever goes wrong with it becomes its status."""
        try:
            reason = why_unreachable(source.spec.endpoint) if source.spec.driver == "remote" else ""
            if reason:
                return Heard(source, status=reason)
            ensure_builder(source, self.asking.environment, self.asking.timeout)
            inspected = _inspect(source, self.asking)
        except TimeLimitError:
            return Heard(source, status=f"no answer within {self.asking.timeout:g} s")
        except MabuildError as error:
            return Heard(source, status=error.message)
        if not inspected.is_running:
            return Heard(source, inspected, status=_why_silent(source, inspected))
        return Heard(source, inspected, self._answers(source, inspected) if self.asking.probe else {})

    def _answers(self, source: NodeSource, inspected: Inspected) -> dict[str, Answer]:
        identity = _identity(source, inspected, self.asking.environment)
        known = {} if self.asking.refresh else self.memory.recall(identity)
        missing = [platform for platform in _to_probe(inspected, self.asking) if platform.architecture not in known]
        if missing:
            with ThreadPoolExecutor(len(missing)) as pool:
                found = pool.map(partial(self._probe, source.builder), missing)
            known |= {answer.architecture: answer for answer in found}
            with self.lock:
                self.memory.keep(identity, known)
                self.learned = True
        return known

    def _probe(self, builder: str, platform: Platform) -> Answer:
        try:
            return probe(builder, platform, self.asking.environment, _PROBE_SECONDS)
        except MabuildError as error:
            return Answer(platform.architecture, error=error.message)


def _why_silent(source: NodeSource, inspected: Inspected) -> str:
    status = inspected.error or inspected.status or "no answer"
    if source.spec.driver == "remote" and status == "inactive":
        tls = "; does it take this TLS login?" if source.spec.endpoint.startswith("tcp:") else ""
        return f"inactive: somebody listens at {source.spec.endpoint}, but no BuildKit answers{tls}"
    return status


def _inspect(source: NodeSource, asking: Asking) -> Inspected:
    found = _ask(source, (), asking.timeout, asking)
    if not found.is_running and not found.error and source.driver.starts_itself:
        return _ask(source, ("--bootstrap",), source.driver.boot_seconds, asking)
    return found


def _ask(source: NodeSource, options: tuple[str, ...], timeout: float, asking: Asking) -> Inspected:
    argv = ("docker", "buildx", "inspect", *options, source.builder)
    done = run(argv, timeout, environment=asking.environment)
    nodes = read_inspection(done.stdout)
    if done.code or not nodes:
        return Inspected("", error=last_line(done.stderr or done.stdout))
    return nodes[0]


def _to_probe(inspected: Inspected, asking: Asking) -> tuple[Platform, ...]:
    """One platform of every architecture that is wanted, and the machine's own for comparison."""
    wanted = (*inspected.listed[:1], *(asking.platforms or inspected.listed))
    by_architecture: dict[str, Platform] = {}
    for platform in wanted:
        if can_probe(platform):
            by_architecture.setdefault(platform.architecture, platform)
    return tuple(by_architecture.values())


def _identity(source: NodeSource, inspected: Inspected, environment: Mapping[str, str]) -> str:
    """The node, its BuildKit, and for as far as it can be this machine its boot and its emulators."""
    facts = {
        "driver": source.spec.driver,
        "endpoint": source.spec.endpoint,
        "engine": engine_address(environment),
        "buildkit": inspected.buildkit,
        "listed": [str(platform) for platform in inspected.listed],
        "labels": inspected.labels,
        "boot": this_boot(),
        "emulators": [[entry.name, entry.interpreter, entry.flags, entry.enabled] for entry in registrations()],
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def this_boot() -> str:
    """What tells this start of this machine's kernel from all others; empty where it is no Linux."""
    return _BOOT_ID.read_text(encoding="utf-8").strip() if _BOOT_ID.is_file() else ""


def _baseline(heard: Iterable[Heard]) -> float:
    """The loop's time on the fastest native node."""
    judged = (judge(answer) for one in heard for answer in one.answers.values())
    return min((found.seconds for found in judged if found.mode is Mode.NATIVE), default=0.0)


def _node(heard: Heard, asking: Asking, baseline: float) -> Node:
    spec = heard.source.spec
    return Node(
        name=spec.name,
        builder=heard.source.builder,
        driver=spec.driver,
        endpoint=spec.endpoint,
        status=heard.status,
        buildkit=heard.inspected.buildkit,
        platforms=_platforms(heard, asking, baseline),
        parallel=spec.parallel,
    )


def _platforms(heard: Heard, asking: Asking, baseline: float) -> tuple[NodePlatform, ...]:
    allowed = heard.source.spec.platforms
    if heard.status != "running":
        declared = allowed or heard.source.declared
        return tuple(NodePlatform(platform, Mode.NATIVE, "declared; the node is down") for platform in declared)
    found = node_platforms(heard.inspected, heard.answers, (*allowed, *asking.platforms), baseline)
    return tuple(entry for entry in found if not allowed or entry.platform in allowed)
