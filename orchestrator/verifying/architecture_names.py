"""The many names of architectures in paths and settings, so that what differs only by them counts as the same."""

from __future__ import annotations

import re

ALIASES: dict[str, tuple[str, ...]] = {
    "amd64": ("amd64", "x86_64", "x86-64", "x64"),
    "arm64": ("arm64", "aarch64", "arm64v8", "armv8", "sbsa"),
    "386": ("386", "i386", "i486", "i586", "i686", "x86", "ia32"),
    "arm": ("armhf", "armel", "armv7l", "armv7", "armv6l", "armv6", "arm32v7", "arm32v6", "armeabi", "arm"),
    "ppc64le": ("ppc64le", "powerpc64le", "ppc64el"),
    "s390x": ("s390x",),
    "riscv64": ("riscv64",),
    "mips64le": ("mips64le", "mips64el"),
    "loong64": ("loong64", "loongarch64"),
}
_BY_NAME = {name: architecture for architecture, names in ALIASES.items() for name in names}
_NAMES = "|".join(re.escape(name) for name in sorted(_BY_NAME, key=len, reverse=True))
_TOKEN = re.compile(rf"(?<![a-z0-9])({_NAMES})(?![a-z0-9])", re.IGNORECASE)
_TRIPLET_TAILS = re.compile(r"-(?:linux-)?(?:gnueabihf|gnueabi|musleabihf|musleabi|gnu|musl)\b")
_LOADERS = re.compile(r"ld-linux[a-z0-9_-]*\.so(?:\.\d+)?|ld-musl-[a-z0-9_-]*\.so(?:\.\d+)?|ld64\.so(?:\.\d+)?")
_WIDE = re.compile(r"(?<![a-z0-9])lib(?:64|32)(?![a-z0-9])")


def neutral(text: str) -> str:
    """The text with every architecture's name replaced by the same word."""
    text = _WIDE.sub("lib", _LOADERS.sub("ld-ARCH.so", text))
    text = _TOKEN.sub("ARCH", text)
    return _TRIPLET_TAILS.sub("-ABI", text) if "ARCH" in text else text


def named(text: str) -> frozenset[str]:
    """The architectures that a text names, by the names that platforms use."""
    return frozenset(_BY_NAME[match.lower()] for match in _TOKEN.findall(text))
