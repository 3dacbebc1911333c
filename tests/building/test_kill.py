"""Killed at any moment, a build leaves whole lists and newer tags only, and the next run builds what is missing."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from orchestrator.core.image import OCI_INDEX
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from orchestrator.registry.errors import NotFoundError
from tests.building.conftest import Yard
from tests.building.killed_run import SERVICES, TAGS, fleet
from tests.faults.registry_server import RegistryServer

MOMENTS = int(os.environ.get("MABUILD_KILLS", "5"))
"""How often a build is killed here; 50 have been survived (60 s simulated, 3 min real)."""
RUN = Path(__file__).with_name("killed_run.py")


@dataclass
class Killing:
    """Runs of one fleet, killed one after another; `stands` are the versions at which the tags were seen last."""

    folder: Path
    host: str
    prefix: str
    environment: dict[str, str]
    version: int = 1
    stands: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.log = self.folder / "log"
        self.log.touch()
        self.yard = fleet(self.folder / "fleet", self.host, self.prefix, self.environment, self.version)

    def start(self) -> subprocess.Popen[bytes]:
        words = [str(RUN), str(self.folder / "fleet"), self.host, self.prefix, str(self.log), str(self.version)]
        environment = {**self.environment, "PYTHONPATH": str(Path(__file__).parents[2])}
        return subprocess.Popen([sys.executable, *words], env=environment, stdout=subprocess.DEVNULL)

    def lines(self, word: str) -> list[str]:
        return [line for line in self.log.read_text().splitlines() if line.startswith(f"{word} ")]

    def sample(self) -> None:
        """Look at every tag: a whole list, and of no older version than before."""
        now = {f"{name}:{tag}": self.at(name, tag) for name in self.names for tag in TAGS}
        assert all(now[tag] >= version for tag, version in self.stands.items())
        self.stands = now

    @property
    def names(self) -> list[str]:
        return [f"s{number}" for number in range(SERVICES)]

    def at(self, name: str, tag: str) -> int:
        try:
            index = self.yard.index(name, tag)
        except NotFoundError:
            return 0
        assert index.document.media_type == OCI_INDEX
        platforms = [entry.platform for entry in index.manifests if not entry.is_attestation]
        assert platforms == [LINUX_AMD64, LINUX_ARM64]
        return int(dict(index.annotations)["version"])

    def kill_after(self, seconds: float) -> None:
        """Start a run, kill it some time after its first cell began, and look at the tags all the while."""
        begun = len(self.lines("building"))
        process = self.start()
        while process.poll() is None and len(self.lines("building")) == begun:
            self.sample()
            time.sleep(0.01)
        end = time.monotonic() + seconds
        while process.poll() is None and time.monotonic() < end:
            self.sample()
        process.kill()
        if process.wait() == 0:
            self.version += 1

    def finish(self) -> None:
        """One run that ends well and builds exactly what no run before it had built."""
        done = {line for line in self.lines("built") if line.endswith(f" {self.version}")}
        before = len(self.lines("built"))
        assert self.start().wait(120) == 0
        now = self.lines("built")[before:]
        assert not done & set(now)
        # Killed between the record of a cell and our line in the log, a run leaves a cell that is in neither.
        assert len(done) + len(now) <= 2 * SERVICES
        self.sample()
        assert set(self.stands.values()) == {self.version}


def kill_often(killing: Killing, moments: int, longest: float) -> None:
    chance = random.Random(moments)
    for _ in range(moments):
        killing.kill_after(chance.uniform(0.0, longest))
    killing.finish()


@pytest.fixture
def server() -> Iterator[RegistryServer]:
    with RegistryServer() as server:
        yield server


def test_moments_of_simulated_builds(server: RegistryServer, tmp_path: Path) -> None:
    library = Yard(tmp_path / "library", {"BUILDX_BUILDER": "none"}, server.address, "library")
    library.put_base("busybox", "stable")
    environment = {**os.environ, "BUILDX_BUILDER": "none", "MABUILD_LAB_REGISTRY": server.address}
    kill_often(Killing(tmp_path, server.address, "acme", environment), MOMENTS, 0.5)


@pytest.mark.real
def test_moments_of_real_builds(lab_environment: dict[str, str], yard: Yard, tmp_path: Path) -> None:
    kill_often(Killing(tmp_path, yard.host, yard.prefix, lab_environment), MOMENTS, 3.0)
