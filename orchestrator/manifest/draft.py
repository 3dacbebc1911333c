"""A manifest that is about to be written: services as another file says them, and their text with comments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

OptionalPairs = tuple[tuple[str, str | None], ...]
_PLAIN = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./@+=\-]*(?::[A-Za-z0-9_./@+=\-]+)*")
_WIDTH = 100


@dataclass(frozen=True, slots=True)
class DraftService:
    """A service to be written; empty values are left out. A pair without a value takes it from the environment.

    `secrets` are maps of `id` and `env` or `file`; `comment` stands above the service.
    """

    name: str
    images: tuple[str, ...]
    context: str
    tags: tuple[str, ...] = ()
    dockerfile: str = ""
    target: str = ""
    platforms: tuple[str, ...] = ()
    args: OptionalPairs = ()
    labels: OptionalPairs = ()
    annotations: OptionalPairs = ()
    contexts: OptionalPairs = ()
    secrets: tuple[OptionalPairs, ...] = ()
    ssh: tuple[str, ...] = ()
    attest: tuple[tuple[str, str], ...] = ()
    comment: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A manifest to be written; `comment` stands at its top. Empty platforms and tags: mabuild's own defaults."""

    services: tuple[DraftService, ...]
    comment: tuple[str, ...] = ()
    registry: str = ""
    platforms: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    schema: str = ""


def manifest_text(draft: Draft) -> str:
    """The manifest as YAML."""
    lines = [f"# yaml-language-server: $schema={draft.schema}"] if draft.schema else []
    lines += [f"# {line}".rstrip() for line in draft.comment]
    lines += ["version: 1"]
    lines += [f"registry: {scalar(draft.registry)}  # the prefix of images without a host"] if draft.registry else []
    defaults = [*_sequence("platforms", draft.platforms), *_sequence("tags", draft.tags)]
    if defaults:
        lines += ["", "defaults:", *(f"  {line}" for line in defaults)]
    lines += ["", "services:" if draft.services else "services: {}"]
    for index, service in enumerate(draft.services):
        lines += [""] if index else []
        lines += [f"  {line}" for line in _service(service)]
    return "\n".join(lines) + "\n"


def _service(service: DraftService) -> Iterator[str]:
    yield from (f"# {line}".rstrip() for line in service.comment)
    yield f"{scalar(service.name)}:"
    yield from (f"  {line}" for line in _keys(service))


def _keys(service: DraftService) -> Iterator[str]:
    yield from _one_or_several("image", service.images)
    yield from _sequence("tags", service.tags)
    yield f"context: {scalar(service.context)}"
    for key in ("dockerfile", "target"):
        value: str = getattr(service, key)
        if value:
            yield f"{key}: {scalar(value)}"
    yield from _sequence("platforms", service.platforms)
    for key in ("args", "labels", "annotations", "contexts"):
        yield from _mapping(key, getattr(service, key))
    if service.attest:
        yield f"attest: {{{', '.join(f'{name}: {word}' for name, word in service.attest)}}}"
    if service.secrets:
        yield "secrets:"
        yield from (f"  - {_flow(secret)}" for secret in service.secrets)
    yield from _sequence("ssh", service.ssh)


def _one_or_several(key: str, values: tuple[str, ...]) -> Iterator[str]:
    if len(values) == 1:
        yield f"{key}: {scalar(values[0])}"
    else:
        yield from _sequence(key, values)


def _sequence(key: str, values: tuple[str, ...]) -> Iterator[str]:
    if not values:
        return
    line = f"{key}: [{', '.join(map(scalar, values))}]"
    if len(line) <= _WIDTH:
        yield line
    else:
        yield f"{key}:"
        yield from (f"  - {scalar(value)}" for value in values)


def _mapping(key: str, pairs: OptionalPairs) -> Iterator[str]:
    if not pairs:
        return
    line = f"{key}: {_flow(pairs)}"
    if len(line) <= _WIDTH:
        yield line
    else:
        yield f"{key}:"
        yield from (f"  {_pair(name, value)}" for name, value in pairs)


def _flow(pairs: OptionalPairs) -> str:
    return f"{{{', '.join(_pair(name, value) for name, value in pairs)}}}"


def _pair(name: str, value: str | None) -> str:
    return f"{scalar(name)}: {'null' if value is None else scalar(value)}"


def scalar(text: str) -> str:
    """A text as YAML, in quotes where another reader could take it for something else."""
    if _PLAIN.fullmatch(text) and isinstance(yaml.safe_load(text), str):
        return text
    return json.dumps(text, ensure_ascii=False)
