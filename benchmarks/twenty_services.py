"""Twenty services on two platforms beside `docker buildx bake`: cold, one changed leaf, unchanged (needs the lab)."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_SERVICES = 20
_ROUNDS = 3
_DOCKERFILE = """FROM {parent}
COPY word /{name}
RUN dd if=/dev/zero bs=1M count={megabytes} 2>/dev/null | sha256sum > /{name}.sum
"""


@dataclass(frozen=True, slots=True)
class Fleet:
    """Services in a folder, a quarter of them parents of the others, with a bake file of the same."""

    folder: Path
    registry: str
    megabytes: int

    def write(self) -> None:
        """Write manifest, Dockerfiles and bake file; every word is new, so that nothing is cached."""
        lines = [f"version: 1\nregistry: {self.registry}"]
        lines.append("defaults: {emulation: allow, tags: [latest], attest: {provenance: min}}\nservices:")
        for number in range(_SERVICES):
            context = self.folder / f"s{number}"
            context.mkdir(exist_ok=True)
            parent = "busybox:stable" if number < _SERVICES // 4 else f"{self.registry}/s{number % (_SERVICES // 4)}"
            text = _DOCKERFILE.format(parent=parent, name=f"s{number}", megabytes=self.megabytes)
            (context / "Dockerfile").write_text(text)
            self.change(number)
            lines.append(f"  s{number}: {{image: s{number}, context: s{number}}}")
        (self.folder / "mabuild.yaml").write_text("\n".join([*lines, ""]))
        words = [sys.executable, "-m", "orchestrator", "plan", "--format", "bake"]
        plan = subprocess.run(words, check=True, capture_output=True, cwd=self.folder).stdout
        (self.folder / "bake.json").write_bytes(plan)

    def change(self, number: int) -> None:
        """Give a service a new word."""
        (self.folder / f"s{number}" / "word").write_text(uuid.uuid4().hex)

    def timed(self, words: Sequence[str]) -> float:
        """Seconds of one command."""
        began = time.perf_counter()
        subprocess.run(words, check=True, capture_output=True, cwd=self.folder)
        return time.perf_counter() - began


_WAYS = {
    "bake": ("docker", "buildx", "bake", "-f", "bake.json", "--push"),
    "mabuild": (sys.executable, "-m", "orchestrator", "build", "--push", "--progress", "quiet"),
}


def measure(fleets: dict[str, Fleet]) -> dict[tuple[str, str], list[float]]:
    """Each kind of run by each way in turn, so that noise hits both alike."""
    taken: dict[tuple[str, str], list[float]] = {}
    for _ in range(_ROUNDS):
        for kind in ("cold", "one changed leaf", "unchanged"):
            for way, words in _WAYS.items():
                fleet = fleets[way]
                if kind == "cold":
                    fleet.write()
                elif kind == "one changed leaf":
                    fleet.change(_SERVICES - 1)
                taken.setdefault((kind, way), []).append(fleet.timed(words))
    return taken


def main() -> None:
    """Print one line for each kind of run."""
    megabytes = int(os.environ.get("MEGABYTES", "100"))
    with tempfile.TemporaryDirectory() as text:
        fleets = {}
        for way in _WAYS:
            folder = Path(text) / way
            folder.mkdir()
            registry = f"{os.environ['MABUILD_LAB_REGISTRY']}/twenty{os.getpid()}/{way}"
            fleets[way] = Fleet(folder, registry, megabytes)
        taken = measure(fleets)
    for kind in dict.fromkeys(kind for kind, _ in taken):
        bake, mabuild = (statistics.median(taken[kind, way]) for way in ("bake", "mabuild"))
        print(f"{kind}: mabuild {mabuild:.2f} s, bake {bake:.2f} s, {mabuild / bake:.2f} x bake")


if __name__ == "__main__":
    main()
