"""What a verification is asked to prove, and the means it may use."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.core.fleet import Level
from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference
from orchestrator.dockerfile.parse import Dockerfile
from orchestrator.registry.wire import Traffic


@dataclass(frozen=True, slots=True)
class Expectation:
    """What an image has to be.

    `platforms` is the set that is wanted (empty: whatever the list names). `since` is the digest of an earlier list:
    no platform of it may be lost. `ignore` are globs of paths inside the image whose binaries are not looked at. `run`
    are commands for `Means.runner`; without any it starts the entry point. `dockerfile` (and the `target` in it) is
    what the image was built from, where that is known: findings then name its lines.
    """

    platforms: tuple[Platform, ...] = ()
    level: Level = Level.EXIST
    since: str = ""
    ignore: tuple[str, ...] = ()
    run: tuple[tuple[str, ...], ...] = ()
    dockerfile: Dockerfile | None = None
    target: str = ""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How a container ended: `output` its last lines, `mode` how the engine ran it (core.plan.Mode, empty: unknown).

    `error` says why it could not be tried at all.
    """

    exit_code: int = 0
    output: str = ""
    mode: str = ""
    timed_out: bool = False
    error: str = ""


Runner = Callable[[Reference, Platform, tuple[str, ...]], RunOutcome]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what one image may make us read; beyond them the answer is a finding or `incomplete`, never a hang.

    `unpacked_ratio` counts from `unpacked_free` bytes on: gzip cannot exceed 1032, real layers stay under 30.
    `layer_weight` is about the memory that one layer's files may take; `image_entries` counts over all layers.
    `seconds` is the time for one image, looked at between requests and while layers stream.
    """

    entries: int = 512
    nesting: int = 4
    configuration: int = 8 << 20
    statement: int = 32 << 20
    unpacked: int = 64 << 30
    unpacked_ratio: int = 300
    unpacked_free: int = 1 << 30
    layer_entries: int = 400_000
    layer_weight: int = 160 << 20
    image_entries: int = 1_000_000
    seconds: float = 1800.0


@dataclass(frozen=True, slots=True)
class Means:
    """How to work: `jobs` requests side by side, a folder for verdicts that stay true (None: remember nothing).

    `runner` starts a command of an image by digest on a platform, without network and bounded in time and memory (an
    empty command: the entry point). `is_sparse`: the store may hold some platforms of a list only, as docker's does.
    `traffic` gives the requests and bytes so far where the store counts them better than calls can be counted.
    """

    jobs: int = 4
    cache: Path | None = None
    traffic: Callable[[], Traffic] | None = None
    runner: Runner | None = None
    is_sparse: bool = False
    limits: Limits = Limits()
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time


MEANS = Means()
