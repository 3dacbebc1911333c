"""Running mabuild against the lab, and looking at what it pushed with an independent tool."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIMIT = 240


@dataclass(frozen=True, slots=True)
class Done:
    """How a call of mabuild ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def registry() -> str:
    """The lab's registry; the tests on real parts run under `make test`, which starts it."""
    address = os.environ.get("MABUILD_LAB_REGISTRY")
    assert address, (
        "tests marked `real` need the lab: run `make test`, or put `python3 -m lab run --` in front of pytest"
    )
    return address


def mabuild(directory: Path, *arguments: str, environment: Mapping[str, str] = {}) -> Done:
    """Call mabuild as a user does, with a cache folder of its own."""
    surroundings = {**os.environ, "MABUILD_CACHE": str(directory / ".cache"), "COLUMNS": "160", **environment}
    command = [sys.executable, "-m", "orchestrator", *arguments]
    done = subprocess.run(
        command, cwd=directory, env=surroundings, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    return Done(done.returncode, done.stdout, done.stderr)


def skopeo(*arguments: str) -> str:
    """What skopeo says: it shares no code with mabuild."""
    command = ["skopeo", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=True).stdout


def raw_list(reference: str) -> Any:
    """The manifest list under a tag, as skopeo reads it."""
    return json.loads(skopeo("inspect", "--raw", "--tls-verify=false", f"docker://{reference}"))


def platforms(reference: str) -> list[str]:
    """The platforms of a list, attestations left out."""
    entries = [entry["platform"] for entry in raw_list(reference)["manifests"]]
    return [f"{entry['os']}/{entry['architecture']}" for entry in entries if entry["os"] != "unknown"]
