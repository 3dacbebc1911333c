"""What a kind of node is to mabuild: how its builder is made, how long it may take to start, what it cannot do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.core.fleet import NodeSpec, Pairs


@dataclass(frozen=True, slots=True)
class Driver:
    """A buildx driver. `create` gives the arguments of `docker buildx create` behind `--driver NAME`.

    `boot_seconds` is how long making or starting it may take; `starts_itself` tells whether buildx starts it when it
    does not run; `limits` are sentences for people, each with the way out.
    """

    name: str
    create: Callable[[NodeSpec], tuple[str, ...]]
    boot_seconds: float
    has_builders: bool = True
    starts_itself: bool = False
    pushes_by_digest: bool = True
    limits: tuple[str, ...] = ()


def options(pairs: Pairs) -> tuple[str, ...]:
    """Driver options as arguments; buildx reads each as one line of CSV, so commas need quotes."""
    return tuple(word for key, value in pairs for word in ("--driver-opt", _field(f"{key}={value}")))


def _field(text: str) -> str:
    quoted = text.replace('"', '""')
    return f'"{quoted}"' if set(',"\n') & set(text) else text


def unknown(name: str) -> Driver:
    """A driver that somebody else's buildx has, such as `cloud`: made like any other, and nothing is promised."""

    def create(spec: NodeSpec) -> tuple[str, ...]:
        return (*options(spec.driver_options), *((spec.endpoint,) if spec.endpoint else ()))

    return Driver(name, create, boot_seconds=60.0, starts_itself=True)
