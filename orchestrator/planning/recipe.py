"""What one service is built from for one platform: parents of the fleet, external images, and what executes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.core.fleet import Place, Service
from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference


@dataclass(frozen=True, slots=True)
class ParentUse:
    """Another service's image that a Dockerfile names: the name after expansion, and for which platform it is taken."""

    name: str
    service: str
    platform: Platform
    place: Place


@dataclass(frozen=True, slots=True)
class ImageUse:
    """An external image that a Dockerfile takes for a platform; `text` is the reference as written, expanded."""

    reference: Reference
    platform: Platform
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Execution:
    """A platform for which something runs during the build, and the first instruction that does."""

    platform: Platform
    place: Place


@dataclass(frozen=True, slots=True)
class Trait:
    """Something in a Dockerfile that ties an image to hardware: which, the words that say so, and where."""

    kind: str
    words: str
    place: Place


@dataclass(frozen=True, slots=True)
class Recipe:
    """What the target stage needs, seen from a machine of one platform building for one platform."""

    parents: tuple[ParentUse, ...] = ()
    images: tuple[ImageUse, ...] = ()
    executions: tuple[Execution, ...] = ()
    traits: tuple[Trait, ...] = ()

    def execution(self, platform: Platform) -> Execution | None:
        """The first thing that runs for a platform, or None where nothing does."""
        return next((entry for entry in self.executions if entry.platform == platform), None)


Recipes = Callable[[Service, Platform, Platform], Recipe]
"""Service, target platform and the platform of the machine that builds, to the recipe."""

NO_RECIPE = Recipe()
