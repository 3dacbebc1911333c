"""What the name of a base image says of the surroundings of an installation. The table is data with a date."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from typing import Any

from orchestrator.auditing.packages.environment import DEFAULT_PYTHON, Environment

_PYTHONS = (
    re.compile(r"python:?-?v?(3\.\d{1,2})(?!\d)"),
    re.compile(r"python-?(3)(\d{2})(?!\d)"),
    re.compile(r"(?:^|[-_:])py(?:thon)?(3)\.?(\d{1,2})(?!\d)"),
)
_ALPINE = re.compile(r"alpine:?-?(3\.\d{1,2})(?!\d)")


def environment_of(image: str) -> Environment:
    """The surroundings in an image, by its name; `assumed` names what the name does not say."""
    name = image.partition("@")[0].lower()
    entry, is_default = _release(name)
    found = _of_release(entry, name) if entry else Environment()
    assumed: list[str] = []
    if not entry:
        assumed.append(f"glibc {_dotted(found.libc_version)}")
    elif is_default:
        assumed.append(f"{found.distribution} {found.release}")
    version = _python_in(name)
    if version:
        return replace(found, python=version, assumed=tuple(assumed))
    if not entry or not entry.get("python"):
        assumed.append(f"Python {found.python}")
    return replace(found, assumed=tuple(assumed))


def _of_release(entry: dict[str, Any], name: str) -> Environment:
    libc = "musl" if "musl" in entry else "glibc"
    release, python = entry["release"], entry["python"]
    if entry["distribution"] == "alpine" and (match := _ALPINE.search(name)):
        release, python = match[1], _table()["alpine"].get(match[1], python)
    return Environment(python, libc, _numbers(entry[libc]), entry["distribution"], release)


def _release(name: str) -> tuple[dict[str, Any], bool]:
    """The release that the name says, or the one that its publisher takes where it says none."""
    named = f"{name}:latest" if ":" not in name.rpartition("/")[2] else name
    for entry in _table()["release"]:
        if re.search(entry["match"], named):
            return entry, False
    for default in _table()["default"]:
        if re.search(default["match"], named):
            return next(one for one in _table()["release"] if one["release"] == default["release"]), True
    return {}, True


def _python_in(name: str) -> str:
    for pattern in _PYTHONS:
        if match := pattern.search(name):
            return ".".join(match.groups())
    if re.search(r"(?:^|/)python:(?:3|latest|slim|alpine)\b(?!\.)", f"{name}:latest" if ":" not in name else name):
        return str(_table()["newest_python"])
    return ""


def _numbers(text: str) -> tuple[int, int]:
    major, _, minor = text.partition(".")
    return int(major), int(minor)


def _dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    text = files("orchestrator.auditing.packages").joinpath("bases.toml").read_text(encoding="utf-8")
    return {"newest_python": DEFAULT_PYTHON, **tomllib.loads(text)}
