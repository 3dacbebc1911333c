"""From three Dockerfiles for amd64 to proven images of two platforms: commands and time (needs the lab)."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lab.home import Home
from lab.setting import Lab
from tests.real.shop import COMMANDS, write_shop


def main() -> None:
    """Print one line for each command, and the sum; base images are there already, caches are empty."""
    environment = {**os.environ, **Lab.load(Home.from_environment(os.environ)).environment}
    total = 0.0
    with tempfile.TemporaryDirectory() as folder:
        prefix = f"{environment['MABUILD_LAB_REGISTRY']}/first-minutes/{secrets.token_hex(6)}"
        write_shop(Path(folder), prefix)
        own = {**environment, "MABUILD_CACHE": f"{folder}/.cache"}
        for words in COMMANDS:
            began = time.monotonic()
            command = [sys.executable, "-m", "orchestrator", *words]
            subprocess.run(command, cwd=folder, env=own, check=True, capture_output=True)
            seconds = time.monotonic() - began
            total += seconds
            print(f"mabuild {' '.join(words):<24} {seconds:6.1f} s")
    print(f"{len(COMMANDS)} commands{'':<22} {total:6.1f} s")


if __name__ == "__main__":
    main()
