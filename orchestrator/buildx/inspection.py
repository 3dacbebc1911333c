"""What `docker buildx inspect` says of a node; it has no JSON form, so its lines are read."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.core.errors import UsageError
from orchestrator.core.platform import Platform


@dataclass(frozen=True, slots=True)
class Inspected:
    """A node's own words. `declared` platforms come from whoever made the builder, `listed` ones from BuildKit.

    BuildKit lists its machine's own platform first, and also what it could only run under emulation.
    """

    name: str
    endpoint: str = ""
    status: str = ""
    error: str = ""
    buildkit: str = ""
    declared: tuple[Platform, ...] = ()
    listed: tuple[Platform, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()

    @property
    def is_running(self) -> bool:
        """Whether the node answered."""
        return self.status == "running" and not self.error


NOT_INSPECTED = Inspected("")
_FIELDS = {"Endpoint": "endpoint", "Status": "status", "Error": "error", "BuildKit version": "buildkit"}


def read_inspection(text: str) -> tuple[Inspected, ...]:
    """The nodes of a builder, from the text of `docker buildx inspect NAME`."""
    _, separator, rest = text.partition("\nNodes:\n")
    blocks = [block for block in rest.split("\n\n") if block.strip()] if separator else []
    return tuple(_node(block.splitlines()) for block in blocks)


def _node(lines: list[str]) -> Inspected:
    fields: dict[str, str] = {}
    labels: list[tuple[str, str]] = []
    section = ""
    for line in lines:
        key, _, value = line.partition(":")
        if line.startswith((" ", "\t")):
            if section == "Labels":
                labels.append((key.strip(), value.strip()))
        else:
            section = key
            fields.setdefault(key, value.strip())
    declared, listed = _platforms(fields.get("Platforms", ""))
    plain = {name: fields.get(key, "") for key, name in _FIELDS.items()}
    return Inspected(fields.get("Name", ""), **plain, declared=declared, listed=listed, labels=tuple(labels))


def _platforms(text: str) -> tuple[tuple[Platform, ...], tuple[Platform, ...]]:
    declared: list[Platform] = []
    listed: list[Platform] = []
    for word in (part.strip() for part in text.split(",")):
        try:
            platform = Platform.parse(word.rstrip("*"))
        except UsageError:
            continue
        (declared if word.endswith("*") else listed).append(platform)
    return tuple(declared), tuple(listed)
