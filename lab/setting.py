"""The lab as one thing: what was decided when it came up, and the parts and environment that follow from it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from lab.engine import Engine
from lab.errors import LabError
from lab.network import Bridge
from lab.nodes import RemoteNode
from lab.registries import Registry

if TYPE_CHECKING:
    from lab.home import Home

BUILDER = "mabuild-lab"


@dataclass(frozen=True, slots=True)
class Decisions:
    """What `up` found or chose, and later calls must know."""

    port: int
    own_engine: bool
    bridge: int = 0
    remote: bool = True  # a `remote` node on the engine; otherwise a docker-container builder
    bases_made: bool = True  # otherwise they are pulled from where they always are


@dataclass(frozen=True, slots=True)
class Lab:
    """The main engine, registry and node."""

    home: Home
    decisions: Decisions

    @classmethod
    def load(cls, home: Home) -> Lab:
        try:
            return cls(home, Decisions(**json.loads(home.settings.read_text())))
        except (FileNotFoundError, ValueError, TypeError):
            raise LabError("the lab is not up", hint="python3 -m lab up") from None

    def save(self) -> None:
        self.home.settings.write_text(json.dumps(asdict(self.decisions), indent=2))

    @property
    def registry(self) -> Registry:
        home = self.home
        record, log = home.run / "registry.json", home.log / "registry.log"
        return Registry("mabuild-lab-registry", self.decisions.port, home.registry, record, log)

    @property
    def engine(self) -> Engine:
        """Our own engine; meaningless where another one is used."""
        home = self.home
        bridge = Bridge(self.decisions.bridge)
        return Engine("engine", home.run, home.root / "engine", home.log, bridge, mirror=self.registry.host)

    @property
    def node(self) -> RemoteNode:
        home = self.home
        config = home.root / "bridge-buildx"
        return RemoteNode(home.socket("node.sock"), config, home.log / "node.log", self.engine_environment)

    @property
    def engine_environment(self) -> dict[str, str]:
        """Points docker at the lab's engine; empty where docker finds its engine by itself."""
        return dict(self.engine.environment) if self.decisions.own_engine else {}

    @property
    def environment(self) -> dict[str, str]:
        """What a command needs to build in the lab."""
        return {
            "MABUILD_LAB": "1",
            "MABUILD_LAB_HOME": str(self.home.root),
            "MABUILD_LAB_REGISTRY": self.registry.host,
            "MABUILD_REGISTRY": f"{self.registry.host}/demo",
            "BUILDX_CONFIG": str(self.home.buildx),
            "BUILDX_BUILDER": BUILDER,
            **self.engine_environment,
        }
