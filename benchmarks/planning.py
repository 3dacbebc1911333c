"""How long `mabuild plan --offline` takes for 100 services on two platforms, from start to exit."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.fleets import write_fleet
from benchmarks.measure import side_by_side

_SERVICES = 100
_ROUNDS = 5


def main() -> None:
    """Print one line."""
    with tempfile.TemporaryDirectory() as folder:
        manifest = write_fleet(Path(folder), _SERVICES)
        command = [sys.executable, "-m", "orchestrator", "plan", "--offline", "-f", str(manifest), "--format", "json"]
        timings = side_by_side({"plan": command}, _ROUNDS)
    print(f"mabuild plan --offline, {_SERVICES} services x 2 platforms: {timings['plan'].median:.2f} s")


if __name__ == "__main__":
    main()
