"""`python -m benchmarks` runs all measurements; names as arguments run only those."""

from __future__ import annotations

import importlib
import sys

ALL = (
    "start_up",
    "planning",
    "planning_online",
    "nodes",
    "auditing",
    "overhead",
    "twenty_services",
    "verifying",
    "first_minutes",
    "workflow",
)


def main() -> None:
    """Run what was named, or all."""
    for name in sys.argv[1:] or ALL:
        print(f"== {name}")
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
