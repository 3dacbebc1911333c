"""How long `mabuild --help` and `--version` take, beside `docker buildx version`."""

from __future__ import annotations

import sys

from benchmarks.measure import ratio, side_by_side

_ROUNDS = 15


def main() -> None:
    """Print one line a command."""
    mabuild = [sys.executable, "-m", "orchestrator"]
    timings = side_by_side(
        {
            "mabuild --version": [*mabuild, "--version"],
            "mabuild --help": [*mabuild, "--help"],
            "docker buildx version": ["docker", "buildx", "version"],
        },
        _ROUNDS,
    )
    for name in ("mabuild --version", "mabuild --help"):
        print(ratio(timings, name, "docker buildx version"))


if __name__ == "__main__":
    main()
