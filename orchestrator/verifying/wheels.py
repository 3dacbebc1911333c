"""Python wheels that were installed, and for which architectures their tags say they were built."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.verifying.architecture_names import named
from orchestrator.verifying.evidence import Content
from orchestrator.verifying.node import Text

_FILE = ".dist-info/WHEEL"


@dataclass(frozen=True, slots=True)
class Wheel:
    """An installed wheel: name and version, the folder that it was unpacked into, and its tag."""

    name: str
    folder: str
    tag: str


def foreign_wheels(content: Content) -> tuple[Wheel, ...]:
    """The wheels whose tags name other architectures only."""
    platform = content.entry.platform
    found = []
    for path, _, node in content.files.items():
        if not path.endswith(_FILE) or not isinstance(node.detail, Text) or platform is None:
            continue
        tags = [line.partition(":")[2].strip() for line in node.detail.lines if line.startswith("Tag:")]
        architectures = frozenset().union(*map(named, tags))
        if architectures and platform.architecture not in architectures:
            folder, _, name = path.removesuffix(_FILE).rpartition("/")
            found.append(Wheel(name.replace("-", " "), folder, tags[0]))
    return tuple(sorted(found, key=lambda wheel: wheel.name))


def wheels_of(paths: tuple[str, ...], wheels: tuple[Wheel, ...]) -> tuple[Wheel, ...]:
    """Those that were unpacked into a folder that holds some of the paths."""
    return tuple(one for one in wheels if any(path.startswith(f"{one.folder}/") for path in paths))
