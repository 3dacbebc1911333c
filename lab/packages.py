"""Which Debian packages this machine still lacks for the lab, and their installation."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from lab.debian import Package

if TYPE_CHECKING:
    from collections.abc import Callable

EMULATORS = {"bookworm": "qemu-user-static"}  # later releases: qemu-user, which is static there
OLDEST_ENGINE = (24, 0)  # the first with a usable containerd image store
OLDEST_BUILDX = (0, 22)  # older ones push the parts of a list under the list's own tag
ENGINE = (Package("docker.io", "trixie"), Package("docker-cli", "trixie"), Package("containerd", "trixie"))
ENGINE_TOOLS = {"runc": "runc", "iptables": "iptables", "ip": "iproute2"}


def version_number(text: str) -> tuple[int, int]:
    """The first two numbers of a version in a program's own words; (0, 0) if there is none."""
    found = re.search(r"(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def said_version(*argv: str) -> tuple[int, int]:
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return (0, 0)
    # buildx names its import path first, which holds no version
    return version_number(done.stdout) if done.returncode == 0 else (0, 0)


def engine_packages(has: Callable[[str], object]) -> tuple[Package, ...]:
    """What an engine of our own still needs."""
    wanted = [Package(package) for program, package in ENGINE_TOOLS.items() if not has(program)]
    if said_version("dockerd", "--version") < OLDEST_ENGINE:
        wanted += ENGINE
    elif not has("docker"):
        wanted.append(ENGINE[1])
    if said_version("docker", "buildx", "version") < OLDEST_BUILDX:
        wanted.append(Package("docker-buildx", "sid"))
    return tuple(wanted)


def other_packages(has: Callable[[str], object]) -> tuple[Package, ...]:
    """The registry, and independent clients to compare with."""
    wanted = (Package("docker-registry"), Package("skopeo"), Package("crane", "sid"))
    return tuple(package for package in wanted if not has(package.name))


def emulator_package(codename: str) -> Package:
    return Package(EMULATORS.get(codename, "qemu-user"))


def on_path(program: str) -> bool:
    """Also where an ordinary user's PATH does not lead."""
    return bool(shutil.which(program) or shutil.which(program, path="/usr/sbin:/sbin"))
