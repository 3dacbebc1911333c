"""How long `mabuild plan` takes for 100 services that ask a registry and a node, cold and with all remembered."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.fleets import write_fleet
from lab.home import Home
from lab.setting import Lab

_SERVICES = 100
_ROUNDS = 5


def main() -> None:
    """Print one line (needs the lab)."""
    environment = {**os.environ, **Lab.load(Home.from_environment(os.environ)).environment}
    with tempfile.TemporaryDirectory() as folder:
        manifest = write_fleet(Path(folder), _SERVICES)
        text = manifest.read_text().replace("registry.example.com", environment["MABUILD_LAB_REGISTRY"])
        manifest.write_text(text)
        for dockerfile in Path(folder).glob("*/Dockerfile"):
            named = dockerfile.read_text().replace("registry.example.com", environment["MABUILD_LAB_REGISTRY"])
            dockerfile.write_text(named)
        memory = Path(folder) / "memory"
        environment["MABUILD_CACHE"] = str(memory)
        command = [sys.executable, "-m", "orchestrator", "plan", "-f", str(manifest), "--format", "json"]
        cold, warm = [], []
        for _ in range(_ROUNDS):
            shutil.rmtree(memory, ignore_errors=True)
            cold.append(_seconds(command, environment))
            warm.append(_seconds(command, environment))
    print(f"mabuild plan, {_SERVICES} services x 2 platforms: {min(cold):.2f} s cold, {min(warm):.2f} s warm")


def _seconds(command: list[str], environment: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, env=environment, check=True, capture_output=True)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
