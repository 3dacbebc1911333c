"""Where packages are installed: Python version, C library and distribution, and the wheels that fit there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from packaging.markers import InvalidMarker, Marker, UndefinedEnvironmentName
from packaging.tags import Tag, compatible_tags, cpython_tags

from orchestrator.core.platform import Platform

_WHEEL_NAMES = {"amd64": "x86_64", "arm64": "aarch64", "386": "i686", "ppc64le": "ppc64le", "s390x": "s390x",
                "riscv64": "riscv64", "loong64": "loongarch64"}  # fmt: skip
_OLD_NAMES = {(2, 17): "manylinux2014", (2, 12): "manylinux2010", (2, 5): "manylinux1"}
_OLDEST = {"x86_64": 5, "i686": 5, "riscv64": 31, "loongarch64": 36}
DEFAULT_PYTHON = "3.12"


@dataclass(frozen=True, slots=True)
class Environment:
    """The surroundings of an installation. `libc` is `glibc` or `musl`; `assumed` says what is a guess.

    `distribution` and `release` are as in `debian` and `bookworm`; empty where they are not known.
    """

    python: str = DEFAULT_PYTHON
    libc: str = "glibc"
    libc_version: tuple[int, int] = (2, 36)
    distribution: str = ""
    release: str = ""
    assumed: tuple[str, ...] = ()

    @property
    def python_version(self) -> tuple[int, int]:
        """Major and minor number."""
        major, _, minor = self.python.partition(".")
        return int(major), int(minor.partition(".")[0] or 0)

    @property
    def note(self) -> str:
        """What was assumed, for a sentence; empty where nothing was."""
        return f"assumed: {', '.join(self.assumed)}" if self.assumed else ""


def wheel_architecture(platform: Platform) -> str:
    """How wheels call the architecture of a platform."""
    if platform.architecture == "arm":
        return f"armv{platform.variant[1:] or '7'}l"
    return _WHEEL_NAMES.get(platform.architecture, platform.architecture)


@lru_cache(maxsize=64)
def fitting_tags(environment: Environment, platform: Platform) -> Mapping[Tag, int]:
    """The tags of all wheels that pip takes there, with their rank, best 0 (PEP 425, 600, 656)."""
    architecture = wheel_architecture(platform)
    names = [*_linux_names(environment, architecture), f"linux_{architecture}"]
    version = environment.python_version
    interpreter = f"cp{version[0]}{version[1]}"
    tags = (
        *cpython_tags(version, platforms=names),
        *compatible_tags(version, interpreter=interpreter, platforms=names),
    )
    return {tag: rank for rank, tag in enumerate(dict.fromkeys(tags))}


def _linux_names(environment: Environment, architecture: str) -> list[str]:
    major, minor = environment.libc_version
    if environment.libc == "musl":
        return [f"musllinux_{major}_{step}_{architecture}" for step in range(minor, -1, -1)]
    names: list[str] = []
    for step in range(minor, _OLDEST.get(architecture, 17) - 1, -1):
        names.append(f"manylinux_{major}_{step}_{architecture}")
        if (major, step) in _OLD_NAMES and architecture not in {"riscv64", "loongarch64"}:
            names.append(f"{_OLD_NAMES[major, step]}_{architecture}")
    return names


def marker_holds(marker: str, environment: Environment, platform: Platform, extra: str = "") -> bool:
    """Whether a requirement with that marker is installed there; a marker that cannot be evaluated holds."""
    if not marker:
        return True
    try:
        return _parsed(marker).evaluate(_marker_values(environment, platform, extra))
    except (InvalidMarker, UndefinedEnvironmentName, ValueError):
        return True


@lru_cache(maxsize=4096)
def _parsed(marker: str) -> Marker:
    return Marker(marker)


def _marker_values(environment: Environment, platform: Platform, extra: str) -> dict[str, str]:
    major, minor = environment.python_version
    return {
        "implementation_name": "cpython",
        "implementation_version": f"{major}.{minor}.0",
        "os_name": "posix",
        "platform_machine": wheel_architecture(platform),
        "platform_release": "",
        "platform_system": "Linux",
        "platform_version": "",
        "platform_python_implementation": "CPython",
        "python_full_version": f"{major}.{minor}.0",
        "python_version": f"{major}.{minor}",
        "sys_platform": "linux",
        "extra": extra,
    }
