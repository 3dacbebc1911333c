"""Keys of cells: their ingredients, read once, and the digests of the parents' images as they come to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from orchestrator.building.parents import parent_digests
from orchestrator.core.errors import MabuildError
from orchestrator.core.key import Ingredients, cell_key
from orchestrator.core.once import Once
from orchestrator.core.plan import Cell, CellId, Mode, Node, Plan
from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference
from orchestrator.core.result import CellResult
from orchestrator.dockerfile.ingredients import IngredientReader
from orchestrator.registry.store import Store


@dataclass(frozen=True, slots=True)
class Key:
    """A cell's key; `open` names inputs that may have changed although the key is the same."""

    value: str
    open: tuple[str, ...] = ()


@dataclass(slots=True)
class KnownDigests:
    """Digests of external images as the plan found them; `store` is asked for images that are in no plan."""

    plan: Plan
    store: Store
    _platforms: dict[tuple[Reference, Platform], str] = field(init=False)
    _lists: dict[Reference, str] = field(init=False)
    _others: Once[Reference, str] = field(default_factory=Once)

    def __post_init__(self) -> None:
        self._lists = {base.reference: base.digest for base in self.plan.bases}
        self._platforms = {
            (base.reference, entry.platform): entry.digest for base in self.plan.bases for entry in base.platforms
        }

    def of_platform(self, reference: Reference, platform: Platform) -> str:
        """The digest of the manifest that an image has for a platform."""
        return self._platforms.get((reference, platform)) or self.of_list(reference)

    def of_list(self, reference: Reference) -> str:
        """The digest of an image; images of frontends (`# syntax=`) are in no plan."""
        return self._lists.get(reference) or self._others.of(reference, lambda: self._asked(reference))

    def _asked(self, reference: Reference) -> str:
        try:
            return self.store.resolve(reference).digest
        except MabuildError:
            return ""


@dataclass(slots=True)
class Keys:
    """The keys of a plan's cells. Safe for threads. `store` is asked for images that are in no plan."""

    plan: Plan
    store: Store
    reader: IngredientReader = field(init=False)

    def __post_init__(self) -> None:
        self.reader = IngredientReader(KnownDigests(self.plan, self.store))

    def of(self, cell: Cell, made: Mapping[CellId, CellResult]) -> Key:
        """The key of a cell whose parents are made. DockerfileError or UsageError where its files cannot be read."""
        parents = parent_digests(self.plan, cell, made)
        ingredients = self._ingredients(cell)
        return Key(cell_key(ingredients, parents), ingredients.open)

    def _ingredients(self, cell: Cell) -> Ingredients:
        planned = self.plan.planned(cell.id.service)
        builder = own_platform(self.plan.node(cell.node), cell.id.platform)
        names = frozenset(link.name for link in planned.links)
        return self.reader.read(planned.service, cell.id.platform, builder, names)


def own_platform(node: Node, otherwise: Platform) -> Platform:
    """The platform of the machine that builds, which Dockerfiles see as BUILDPLATFORM."""
    own = (entry.platform for entry in node.platforms if entry.mode in {Mode.NATIVE, Mode.SYSTEM_EMULATED})
    return next(own, otherwise)
