"""Which platforms a file is for: its name or folder may say that it is for one architecture."""

from __future__ import annotations

import re

from orchestrator.auditing.architectures import names
from orchestrator.core.platform import Platform

_SEPARATORS = re.compile(r"[\\/]+")


def platforms_of(path: str, platforms: tuple[Platform, ...]) -> tuple[Platform, ...]:
    """The platforms under audit that a file is meant for; for a file of another architecture, that one alone.

    `Dockerfile.arm64`, `x86_64.Dockerfile`, `arm64/Dockerfile` and `docker/linux-amd64/Dockerfile` name theirs.
    """
    family = _family_of(path)
    if not family:
        return platforms
    own = tuple(platform for platform in platforms if platform.architecture == family)
    return own or (Platform("linux", family),)


def _family_of(path: str) -> str:
    """The family that the file's name says, else the innermost folder that says one; a name of two says none."""
    *folders, name = _SEPARATORS.split(path)
    for part in (name, *reversed(folders)):
        found = {one.family for one in names(part)}
        if len(found) == 1:
            return found.pop()
        if found:
            return ""
    return ""
