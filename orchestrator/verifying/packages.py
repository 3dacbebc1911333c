"""Counts the architectures in package databases (dpkg, apk, rpm) while they stream by, without keeping them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from orchestrator.verifying.node import Packages

Read = Callable[[int], bytes]
_CHUNK = 1 << 16
_LONGEST_LINE = 1 << 16
_MOST_NAMES = 32
_DPKG = re.compile(r"var/lib/dpkg/status(?:\.d/[^/]+)?")
_APK = re.compile(r"(?:usr/)?lib/apk/db/installed")
_RPM = re.compile(r"(?:var/lib/rpm|usr/lib/sysimage/rpm|usr/share/rpm)/(?:rpmdb\.sqlite|Packages\.db|Packages)")
_RPM_ARCHITECTURES = rb"x86_64|x86_64_v[234]|aarch64|i[3-6]86|noarch|armv7hl|armv6hl|ppc64le|s390x|riscv64|loongarch64"
_RPM_HEADER = re.compile(rb"linux\0(" + _RPM_ARCHITECTURES + rb")\0")
_OVERLAP = 32

DPKG_NAMES = {
    "amd64": ("amd64",),
    "arm64": ("arm64",),
    "386": ("i386",),
    "arm": ("armhf", "armel"),
    "ppc64le": ("ppc64el",),
    "s390x": ("s390x",),
    "riscv64": ("riscv64",),
    "mips64le": ("mips64el",),
    "loong64": ("loong64",),
}
APK_NAMES = {
    "amd64": ("x86_64",),
    "arm64": ("aarch64",),
    "386": ("x86",),
    "arm": ("armv7", "armhf"),
    "ppc64le": ("ppc64le",),
    "s390x": ("s390x",),
    "riscv64": ("riscv64",),
    "loong64": ("loongarch64",),
}
RPM_NAMES = {
    "amd64": ("x86_64", "x86_64_v2", "x86_64_v3", "x86_64_v4"),
    "arm64": ("aarch64",),
    "386": ("i386", "i486", "i586", "i686"),
    "arm": ("armv7hl", "armv6hl"),
    "ppc64le": ("ppc64le",),
    "s390x": ("s390x",),
    "riscv64": ("riscv64",),
    "loong64": ("loongarch64",),
}
NEUTRAL = frozenset({"all", "noarch", ""})


def package_reader(path: str) -> Callable[[Read], Packages] | None:
    """How to read the package database at a path; None where there is none."""
    if _DPKG.fullmatch(path) and not path.endswith(".md5sums"):
        return lambda read: _count(_fields(read, b"Architecture:"))
    if _APK.fullmatch(path):
        return lambda read: _count(_fields(read, b"A:"))
    if _RPM.fullmatch(path):
        return lambda read: _count(_rpm(read))
    return None


def names_of(path: str, architecture: str) -> tuple[str, ...]:
    """What the packages of an architecture are called in the database at a path."""
    table = DPKG_NAMES if _DPKG.fullmatch(path) else APK_NAMES if _APK.fullmatch(path) else RPM_NAMES
    return table.get(architecture, ())


def _count(names: Iterator[str]) -> Packages:
    counted: Counter[str] = Counter()
    for name in names:
        if name in counted or len(counted) < _MOST_NAMES:
            counted[name] += 1
    return Packages(tuple(sorted(counted.items())))


def _fields(read: Read, field: bytes) -> Iterator[str]:
    """The values of a field that begins a line."""
    rest = b""
    while chunk := read(_CHUNK):
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()[:_LONGEST_LINE]
        for line in lines:
            if line.startswith(field):
                yield _name(line[len(field) :])
    if rest.startswith(field):
        yield _name(rest[len(field) :])


def _name(value: bytes) -> str:
    return value.strip().decode("ascii", "replace")[:32]


def _rpm(read: Read) -> Iterator[str]:
    """Every rpm header has the operating system and then the architecture, next to each other, whatever holds it.

    So the databases of all three kinds (sqlite, ndb, Berkeley) are read alike; a header that a page boundary cuts at
    this place is not counted.
    """
    rest = b""
    while chunk := read(_CHUNK):
        content = rest + chunk
        end = 0
        for match in _RPM_HEADER.finditer(content):
            end = match.end()
            yield match[1].decode("ascii")
        rest = content[max(end, len(content) - _OVERLAP) :]
