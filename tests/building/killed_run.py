"""One run of six services, to be killed: FOLDER HOST PREFIX LOG VERSION, with a real builder or a simulated one."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

from orchestrator.building.run import build
from orchestrator.core.event import Event, Phase, StateChanged
from tests.building.conftest import Yard
from tests.building.simulated import SimulatedBuilder

SERVICES = 6
TAGS = ("1.0.0", "latest")


def fleet(folder: Path, host: str, prefix: str, environment: dict[str, str], version: int) -> Yard:
    """Three chains of two, each image of a file that holds the version."""
    yard = Yard(folder, environment, host, prefix)
    for number in range(SERVICES):
        parent = "busybox:stable" if number < SERVICES // 2 else f"PREFIX/s{number - SERVICES // 2}"
        yard.service(f"s{number}", f"FROM {parent}\nCOPY word /{number}\n", {"word": str(version)}, tags=TAGS)
    return yard


def main() -> int:
    folder, host, prefix, log, version = sys.argv[1:]
    yard = fleet(Path(folder), host, prefix, dict(os.environ), int(version))
    doors = yard.doors()
    if os.environ["BUILDX_BUILDER"] == "none":
        doors = replace(doors, builder=SimulatedBuilder(yard.store, lambda _: 0.03))
    with Path(log).open("a") as file:

        def listen(event: Event) -> None:
            if isinstance(event, StateChanged) and event.phase in {Phase.BUILT, Phase.BUILDING} and "@" in event.task:
                file.write(f"{event.phase} {event.task} {version}\n")
                file.flush()

        options = yard.options(annotations=(("version", version),))
        return 0 if build(yard.plan(), options, doors, listen).is_good else 1


if __name__ == "__main__":
    sys.exit(main())
