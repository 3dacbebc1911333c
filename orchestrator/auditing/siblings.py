"""The address of a flagged download, and what the file of the other architecture beside it might be called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_ADDRESS = re.compile(r"https?://[^\s\"'`;|&<>()\\]+")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_DEFAULT = re.compile(r"^\s*(?:ARG|ENV)\s+(\w+)[= ](\S+)\s*$", re.IGNORECASE | re.MULTILINE)
_SIBLINGS: Mapping[str, tuple[str, ...]] = {
    "amd64": ("arm64", "aarch64"),
    "x86_64": ("aarch64", "arm64"),
    "x86-64": ("aarch64", "arm64"),
    "x64": ("arm64", "aarch64"),
    "64bit": ("ARM64", "arm64"),
    "linux64": ("linux-arm64", "linux-aarch64"),
    "arm64": ("amd64", "x86_64", "x64"),
    "aarch64": ("x86_64", "amd64", "x64"),
}
_LONGEST = 2048


@dataclass(frozen=True, slots=True)
class Download:
    """An address as it is written, variables filled in where their values are known, and its possible siblings."""

    address: str
    siblings: tuple[str, ...]


def download_at(text: str, line: int, column: int, word: str) -> Download | None:
    """The download whose address holds the flagged word at a place (1-based); None where it is not fully known."""
    lines = text.splitlines()
    source = lines[line - 1] if 1 <= line <= len(lines) else ""
    found = next((match for match in _ADDRESS.finditer(source) if match.start() < column <= match.end()), None)
    names = next((names for name, names in _SIBLINGS.items() if name == word.lower()), ())
    if found is None or not names:
        return None
    start = column - 1 - found.start()
    values = {match[1]: match[2].strip("\"'") for match in _DEFAULT.finditer(text)}
    address = _filled(found[0], values)
    siblings = [_filled(found[0][:start] + name + found[0][start + len(word) :], values) for name in names]
    if "$" in address or len(address) > _LONGEST:
        return None
    return Download(address, tuple(siblings))


def _filled(address: str, values: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda match: values.get(match[1] or match[2], match[0]), address)
