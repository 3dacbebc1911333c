"""Small fleets, nodes and recipes for the tests of planning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from orchestrator.core.fleet import Fleet, Place, Service
from orchestrator.core.plan import Mode, Node, NodePlatform
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.core.reference import Reference
from orchestrator.planning.recipe import Execution, ImageUse, ParentUse, Recipe

BOTH = (LINUX_AMD64, LINUX_ARM64)


def service(name: str, *, platforms: tuple[Platform, ...] = BOTH, depends_on: tuple[str, ...] = ()) -> Service:
    """A service of the example registry, described on a line of its own."""
    return Service(
        name=name,
        place=Place("mabuild.yaml", 10, 3),
        images=(Reference.parse(f"ghcr.io/acme/{name}"),),
        tags=("1.0", "latest"),
        platforms=platforms,
        context=Path("dockerfiles") / name,
        dockerfile=Path("dockerfiles") / name / "Dockerfile",
        depends_on=depends_on,
    )


def fleet(*services: Service) -> Fleet:
    """A fleet of these services."""
    return Fleet(services=services)


def node(name: str, *entries: tuple[Platform, Mode], slowdown: float = 0.0, parallel: int = 1) -> Node:
    """A node that answered; the slow-down is that of its emulation."""
    platforms = tuple(
        NodePlatform(platform, mode, "probed", slowdown if mode is not Mode.NATIVE else 1.0)
        for platform, mode in entries
    )
    return Node(name, f"mabuild-{name}", "remote", f"unix:///{name}.sock", platforms=platforms, parallel=parallel)


AMD64_NODE = node("here", (LINUX_AMD64, Mode.NATIVE), (LINUX_ARM64, Mode.EMULATED), slowdown=8.0)
ARM64_NODE = node("arm", (LINUX_ARM64, Mode.NATIVE))
ARM64_DOWN = replace(ARM64_NODE, status="no answer within 5 s")


class Recipes:
    """What services need, by name: parents, images and whether anything runs for the target platform."""

    def __init__(self, needs: Mapping[str, tuple[str, ...]], images: tuple[str, ...] = ()) -> None:
        self.needs = needs
        self.images = images
        self.cross: set[str] = set()
        self.for_builder: set[str] = set()
        self.asked: list[tuple[str, Platform, Platform]] = []

    def __call__(self, wanted: Service, target: Platform, builder: Platform) -> Recipe:
        """The recipe of a service."""
        self.asked.append((wanted.name, target, builder))
        path = str(wanted.dockerfile)
        parents = tuple(
            ParentUse(
                f"ghcr.io/acme/{name}",
                name,
                builder if name in self.for_builder else target,
                Place(path, 1 + number, 6),
            )
            for number, name in enumerate(self.needs.get(wanted.name, ()))
        )
        images = tuple(ImageUse(Reference.parse(text), target, Place(path, 7, 6), text) for text in self.images)
        ran = builder if wanted.name in self.cross else target
        return Recipe(parents, images, (Execution(ran, Place(path, 9, 1)),))
