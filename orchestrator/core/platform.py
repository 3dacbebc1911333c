"""Platforms in containerd's normal form: parsing, order, and which platform can stand in for which."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from orchestrator.core.errors import UsageError

_PART = re.compile(r"[A-Za-z0-9_.-]+")
_SYSTEMS = {"macos": "darwin"}
_ARCHITECTURES = {
    "aarch64": ("arm64", ""),
    "x86_64": ("amd64", ""),
    "x86-64": ("amd64", ""),
    "i386": ("386", ""),
    "i686": ("386", ""),
    "armhf": ("arm", "v7"),
    "armel": ("arm", "v6"),
}
_ARM64_BASELINE = frozenset({"8", "v8", "v8.0", "8.0"})
KNOWN_ARCHITECTURES = frozenset(
    [
        "386",
        "amd64",
        "arm",
        "arm64",
        "loong64",
        "mips",
        "mips64",
        "mips64le",
        "mipsle",
        "ppc64",
        "ppc64le",
        "riscv64",
        "s390x",
        "wasm",
    ]
)
KNOWN_SYSTEMS = frozenset(
    ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "solaris", "wasi", "windows"]
)


@dataclass(frozen=True, slots=True, order=True)
class Platform:
    """`os/architecture[/variant]`, always in the normal form of containerd's platforms package."""

    os: str
    architecture: str
    variant: str = ""

    def __post_init__(self) -> None:
        system, architecture, variant = _normal(self.os, self.architecture, self.variant)
        object.__setattr__(self, "os", system)
        object.__setattr__(self, "architecture", architecture)
        object.__setattr__(self, "variant", variant)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `linux/arm64/v8`, `arm64`, `x86_64` and the like; raises UsageError for what is no platform."""
        parts = text.strip().split("/")
        if not 1 <= len(parts) <= 3 or not all(_PART.fullmatch(part) for part in parts):
            raise UsageError(f"{text!r} is not a platform", hint="write os/arch or os/arch/variant, as in linux/arm64")
        if len(parts) == 1:
            parts = ["linux", *parts]
        platform = cls(*parts)
        if platform.os not in KNOWN_SYSTEMS or platform.architecture not in KNOWN_ARCHITECTURES:
            raise UsageError(f"{text!r} is not a known platform", hint="usual ones are linux/amd64 and linux/arm64")
        return platform

    def __str__(self) -> str:
        return "/".join(part for part in (self.os, self.architecture, self.variant) if part)

    @property
    def slug(self) -> str:
        """The platform as one word for file names, tags and cache scopes: `linux-arm-v7`."""
        return str(self).replace("/", "-").lower()

    def accepts(self, other: Platform) -> bool:
        """Whether a machine of this platform would take an image of the other one (containerd's default rule)."""
        return other in candidates(self)


def _normal(system: str, architecture: str, variant: str) -> tuple[str, str, str]:
    system, architecture, variant = system.lower(), architecture.lower(), variant.lower()
    system = _SYSTEMS.get(system, system)
    if architecture in _ARCHITECTURES:
        architecture, implied = _ARCHITECTURES[architecture]
        variant = variant or implied
    match architecture:
        case "amd64":
            variant = "" if variant == "v1" else variant
        case "arm64":
            variant = _arm64_variant(variant)
        case "arm":
            variant = "v7" if variant in {"", "7"} else f"v{variant}" if variant in {"5", "6", "8"} else variant
        case _:
            pass
    return system, architecture, variant


def _arm64_variant(variant: str) -> str:
    if variant in _ARM64_BASELINE:
        return ""
    if variant in {"9", "9.0", "v9.0"}:
        return "v9"
    return variant


def candidates(node: Platform) -> tuple[Platform, ...]:
    """The platforms that a node takes from an index, best first (containerd/platforms `compare.go`)."""
    match node.architecture:
        case "amd64":
            return _amd64_candidates(node)
        case "arm64":
            return _arm64_candidates(node)
        case "arm":
            return _arm_candidates(node.os, _level(node.variant, 7))
        case _:
            return (node,)


def _amd64_candidates(node: Platform) -> tuple[Platform, ...]:
    levels = range(_level(node.variant, 1), 0, -1)
    return (*(Platform(node.os, "amd64", f"v{level}") for level in levels), Platform(node.os, "386"))


def _arm64_candidates(node: Platform) -> tuple[Platform, ...]:
    major, minor = _arm64_version(node.variant)
    variants = [f"v{major}.{step}" if step else f"v{major}" for step in range(minor, -1, -1)]
    if major == 9:
        top = min(minor + 5, 9)
        variants += [f"v8.{step}" if step else "v8" for step in range(top, -1, -1)]
    return (*(Platform(node.os, "arm64", variant) for variant in variants), *_arm_candidates(node.os, 8))


def _arm_candidates(system: str, level: int) -> tuple[Platform, ...]:
    return tuple(Platform(system, "arm", f"v{step}") for step in range(level, 4, -1))


def _level(variant: str, default: int) -> int:
    digits = variant.removeprefix("v")
    return int(digits) if digits.isdigit() and len(digits) == 1 else default


def _arm64_version(variant: str) -> tuple[int, int]:
    major, _, minor = (variant or "v8").removeprefix("v").partition(".")
    if major in {"8", "9"} and (not minor or (minor.isdigit() and len(minor) == 1)):
        return int(major), int(minor or 0)
    return 8, 0


LINUX_AMD64 = Platform("linux", "amd64")
LINUX_ARM64 = Platform("linux", "arm64")
