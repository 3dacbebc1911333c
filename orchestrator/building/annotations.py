"""Which of a service's annotations stand on its images, and which on its index (buildx, `--annotation`)."""

from __future__ import annotations

import re

from orchestrator.core.fleet import Pairs, Service

_LEVEL = r"(?:manifest|index|manifest-descriptor|index-descriptor)"
_LEVELS = re.compile(rf"({_LEVEL}(?:\[[^\]]*\])?(?:,{_LEVEL}(?:\[[^\]]*\])?)*):(.+)")


def manifest_annotations(service: Service) -> Pairs:
    """What is handed to the build of each image: all without a level, and those of other levels than the index."""
    found = []
    for name, value in service.annotations:
        levels, key = _split(name)
        kept = ",".join(level for level in levels if not level.startswith("index"))
        if kept or not levels:
            found.append((f"{kept}:{key}" if kept else key, value))
    return tuple(found)


def index_annotations(service: Service) -> Pairs:
    """What stands on the index: all without a level, and those that name it. A build of one platform has no index."""
    split = ((*_split(name), value) for name, value in service.annotations)
    return tuple((key, value) for levels, key, value in split if not levels or "index" in levels)


def _split(name: str) -> tuple[list[str], str]:
    found = _LEVELS.fullmatch(name)
    return (found[1].split(","), found[2]) if found else ([], name)
