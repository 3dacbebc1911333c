"""The images of a file that are no stages, each once for each place where it is used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from orchestrator.auditing.context import Context
from orchestrator.core.errors import UsageError
from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference
from orchestrator.dockerfile.graph import EXTERNAL, UseKind
from orchestrator.dockerfile.resolve import SCRATCH
from orchestrator.dockerfile.source import Word


@dataclass(frozen=True, slots=True)
class Image:
    """An image as docker names it in full, where it stands, and the platforms that are asked of it."""

    name: str
    word: Word
    platforms: tuple[Platform, ...]


def external_images(context: Context) -> Iterator[Image]:
    """Images of FROM and COPY --from whose names are known, in the order of the file."""
    found: dict[tuple[str, int, int], list[Platform]] = {}
    resolved = (view.resolved[platform] for view in context.stages for platform in view.platforms)
    for use in (use for stage in resolved for use in stage.uses):
        if use.stage == EXTERNAL and use.name not in {"", SCRATCH} and use.kind is not UseKind.MOUNT:
            asked = found.setdefault((use.name, use.line, use.column), [])
            if use.platform not in asked:
                asked.append(use.platform)
    for (name, line, column), platforms in found.items():
        try:
            reference = Reference.parse(name)
        except UsageError:
            continue
        word = Word(name, line, column, line, column + len(name))
        yield Image(str(reference.or_latest), word, tuple(platforms))
