"""The names that CPU architectures go by in file names, addresses, packages and options, and how to find them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from orchestrator.core.platform import Platform

AMD64, ARM64, I386, ARM = "amd64", "arm64", "386", "arm"
"""Families are named as in a platform."""

_WORDS = {
    AMD64: ("x86[_-]64", "amd64", "x64", "amd_64"),
    ARM64: ("aarch_?64(?:_be)?", "arm64(?:v8)?", "armv8(?:l|-a|a)?", "arm_64"),
    I386: ("i[3-6]86", "ia32"),
    ARM: ("armhf", "armel", "armv[5-7](?:l|hf|a)?", "arm32v[5-7]"),
    "ppc64le": ("ppc64le", "ppc64el", "powerpc64le"),
    "s390x": ("s390x",),
    "riscv64": ("riscv64(?:gc)?",),
    "mips64le": ("mips64le", "mips64el"),
    "loong64": ("loong(?:arch)?64",),
}
_WEAK_WORDS = {
    AMD64: ("linux[-_]?64(?:-?bit)?", "lin64", "64-?bit", "gcc64", "intel64"),
    ARM64: ("sbsa", "linuxarm64"),
    I386: ("386", "x86", "linux[-_]?32(?:-?bit)?", "32-?bit"),
    ARM: ("arm", "arm-?v?[67]"),
}
"""Words that mean an architecture only in a file name or an address."""


def _group(words: dict[str, tuple[str, ...]]) -> dict[str, str]:
    return {f"{family}": "|".join(patterns) for family, patterns in words.items()}


def _pattern() -> re.Pattern[str]:
    groups = [f"(?P<f{family}>{body})" for family, body in _group(_WORDS).items()]
    groups += [f"(?P<w{family}>{body})" for family, body in _group(_WEAK_WORDS).items()]
    joined = "|".join(groups)
    return re.compile(rf"(?<![A-Za-z0-9])(?:linux|musl|gnu)?(?:{joined})(?![A-Za-z0-9])", re.IGNORECASE)


_NAME = _pattern()
_HINT = re.compile(r"64|86|arm|ia32|32bit|32-bit|lin32|sbsa|s390", re.IGNORECASE)
_FOREIGN_SYSTEM = re.compile(
    r"darwin|macos|osx|apple|windows|mingw|[-_./]win(?:32|64)?[-_./]|(?:^|[-_./])win(?:-|_)?(?:x64|64)|freebsd|openbsd"
    r"|netbsd|\.exe\b|\.msi\b|\.dmg\b|-pc-solaris",
    re.IGNORECASE,
)
_FOR_NOBODY = re.compile(r"android|\bios-|iphone|\.noarch\.|_all\.deb|-any\.pkg", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Name:
    """An architecture named in a text, from `start` up to `end`.

    `weak` ones (`x86`, `arm`, `linux64`) mean an architecture only where a file or an address is named.
    """

    text: str
    family: str
    start: int
    end: int
    weak: bool = False


@lru_cache(maxsize=4096)
def names(text: str) -> tuple[Name, ...]:
    """The architecture names in a text, in order."""
    if not _HINT.search(text):
        return ()
    return tuple(_name(match) for match in _NAME.finditer(text))


def _name(match: re.Match[str]) -> Name:
    group = match.lastgroup or "f"
    start, end = match.span(group)
    return Name(match[group], group[1:], start, end, weak=group[0] == "w")


def is_for_other_system(text: str) -> bool:
    """Whether a file, address or target triple is of another system, or of no architecture whatever its folder says."""
    if _FOR_NOBODY.search(text):
        return True
    return bool(_FOREIGN_SYSTEM.search(text)) and "linux" not in text.lower().replace("linuxbrew", "")


_WHOLE = re.compile(r"[\"']?(?:linux[-_/])?(?:musl[-_])?(?P<name>[A-Za-z0-9_-]+)(?:/v8)?[\"']?", re.IGNORECASE)


@lru_cache(maxsize=1024)
def word_name(text: str) -> str:
    """The family of a text that is nothing but a name (`x86_64`, `linux/amd64`, `linux-x64`); else the empty text."""
    match = _WHOLE.fullmatch(text.strip())
    if match is None:
        return ""
    name = _NAME.fullmatch(match["name"])
    return (name.lastgroup or " ")[1:] if name else ""


def family(platform: Platform) -> str:
    """The family of a platform."""
    return platform.architecture


def runs_on(name: str, machine: str) -> bool:
    """Whether files of one family run on a machine of another: i386 files run on amd64."""
    return name == machine or (name == I386 and machine == AMD64)


def schematic(text: str) -> str:
    """A text with every architecture name replaced by one sign: siblings for two architectures become equal."""
    pieces, at = [], 0
    for name in names(text):
        pieces += [text[at : name.start], "\x01"]
        at = name.end
    return "".join([*pieces, text[at:]]).lower()
