"""What programs and variables say about the machine on each platform."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from orchestrator.core.platform import Platform

UNKNOWN = "\0"
"""Stands in a value for a part that nobody can know before the build."""

_KERNEL = {"amd64": "x86_64", "arm64": "aarch64", "386": "i686", "arm": "armv7l"}
_DEBIAN = {"386": "i386", "arm": "armhf", "ppc64le": "ppc64el"}
_ALPINE = {"amd64": "x86_64", "arm64": "aarch64", "386": "x86", "arm": "armv7"}
_NODE = {"amd64": "x64", "386": "ia32", "ppc64le": "ppc64"}
_JAVA = {"arm64": "aarch64", "386": "i386"}


@dataclass(frozen=True, slots=True)
class Machine:
    """One platform, by the names that different programs have for it."""

    platform: Platform
    kernel: str
    debian: str
    alpine: str
    node: str
    java: str

    @property
    def family(self) -> str:
        """The architecture as in the platform."""
        return self.platform.architecture

    @property
    def triple(self) -> str:
        """What Debian's compilers call their target."""
        suffix = "-linux-gnueabihf" if self.family == "arm" else "-linux-gnu"
        return ("arm" if self.family == "arm" else self.kernel) + suffix

    def variables(self) -> Mapping[str, str]:
        """Variables that BuildKit or the shell sets, as they are where the build machine is of the platform."""
        return _variables(self)


@lru_cache(maxsize=32)
def _variables(machine: Machine) -> Mapping[str, str]:
    found = {"HOSTTYPE": machine.kernel, "MACHTYPE": f"{machine.kernel}-{UNKNOWN}-linux-{UNKNOWN}"}
    for side in ("TARGET", "BUILD"):
        found[f"{side}PLATFORM"] = str(machine.platform)
        found[f"{side}OS"] = machine.platform.os
        found[f"{side}ARCH"] = machine.family
        found[f"{side}VARIANT"] = machine.platform.variant
    return found


@lru_cache(maxsize=32)
def machine(platform: Platform) -> Machine:
    """The names of one platform."""
    family = platform.architecture
    kernel = f"armv{platform.variant[1:]}l" if family == "arm" and platform.variant else _KERNEL.get(family, family)
    return Machine(
        platform,
        kernel,
        _DEBIAN.get(family, family),
        _ALPINE.get(family, family),
        _NODE.get(family, family),
        _JAVA.get(family, family),
    )
