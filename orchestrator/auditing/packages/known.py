"""What is known of packages besides their files: accelerators, and what sources need. The table is data with a date."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Accelerator:
    """What a package is tied to. `arm64` is `never`, `sbsa` or `source`."""

    kind: str
    arm64: str
    advice: str


@lru_cache(maxsize=4096)
def accelerator_of(name: str, version: str) -> Accelerator | None:
    """The accelerator that a Python distribution is tied to, by its name and its version or files; None for others."""
    for pattern, only, found in _accelerators():
        if pattern.match(name) and (only is None or only.search(version)):
            return found
    return None


@lru_cache(maxsize=4096)
def needs_of(name: str) -> str:
    """What compiling a Python distribution needs; empty where that is not known."""
    return next((needs for pattern, needs in _builds() if pattern.match(name)), "")


def checked() -> str:
    """The date of the table."""
    return str(_table()["checked"])


@lru_cache(maxsize=1)
def _accelerators() -> tuple[tuple[re.Pattern[str], re.Pattern[str] | None, Accelerator], ...]:
    return tuple(
        (
            re.compile(entry["match"]),
            re.compile(entry["only"]) if "only" in entry else None,
            Accelerator(entry["kind"], entry["arm64"], entry["advice"]),
        )
        for entry in _table()["accelerator"]
    )


@lru_cache(maxsize=1)
def _builds() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(entry["match"]), entry["needs"]) for entry in _table()["build"])


@lru_cache(maxsize=1)
def _table() -> dict[str, list[dict[str, str]]]:
    return tomllib.loads(files("orchestrator.auditing.packages").joinpath("known.toml").read_text(encoding="utf-8"))
