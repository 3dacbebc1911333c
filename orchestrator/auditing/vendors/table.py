"""Looks vendors up by the address of a download. The table is read when the first address is looked up."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Vendor:
    """How one vendor names architectures; an empty text among the names is a file without one."""

    name: str
    pattern: re.Pattern[str]
    amd64: tuple[str, ...]
    arm64: tuple[str, ...]
    since: str
    source: str
    checked: str

    def names(self, family: str) -> tuple[str, ...]:
        """What files for a family are called; empty where the vendor has none, or the table does not know."""
        match family:
            case "amd64":
                return self.amd64
            case "arm64":
                return self.arm64
            case _:
                return ()


@lru_cache(maxsize=1)
def vendors() -> tuple[Vendor, ...]:
    """The whole table."""
    text = files("orchestrator.auditing.vendors").joinpath("vendors.toml").read_text(encoding="utf-8")
    return tuple(
        Vendor(
            name=entry["name"],
            pattern=re.compile(entry["match"]),
            amd64=tuple(entry["amd64"]),
            arm64=tuple(entry["arm64"]),
            since=entry["since"],
            source=entry["source"],
            checked=entry["checked"],
        )
        for entry in tomllib.loads(text)["vendor"]
    )


@lru_cache(maxsize=1)
def _any() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{vendor.pattern.pattern})" for vendor in vendors()))


@lru_cache(maxsize=1024)
def vendor_of(address: str) -> Vendor | None:
    """The vendor of an address; None for one that the table does not have."""
    if not _any().search(address):
        return None
    return next(vendor for vendor in vendors() if vendor.pattern.search(address))
