"""The lab's environment for tests on real parts."""

from __future__ import annotations

import os

from lab.home import Home
from lab.setting import Lab


def lab_environment(**changes: str) -> dict[str, str]:
    """What a command needs to use the lab's engine and builders, with some changes."""
    return {**os.environ, **Lab.load(Home.from_environment(os.environ)).environment, **changes}
