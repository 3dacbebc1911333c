"""Values from the command line (`--set api.args.VERSION=2`) take the place of those in manifests."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, replace

from orchestrator.core.errors import ManifestError, UsageError
from orchestrator.manifest.document import read_document
from orchestrator.manifest.node import Document, Entry, MappingNode, Node, ScalarNode, SequenceNode

_HINT = "write --set SERVICE.KEY=VALUE, as in --set api.args.VERSION=2 or --set 'api.tags=[\"1.0\", latest]'"


@dataclass(frozen=True, slots=True)
class Override:
    """One value: the service, the keys below it, and the value as YAML."""

    service: str
    keys: tuple[str, ...]
    value: str


def parse_override(text: str) -> Override:
    """Read `service.key=value`; UsageError for anything else."""
    path, equals, value = text.partition("=")
    service, *keys = path.split(".")
    if not equals or not service or not keys or not all(keys):
        raise UsageError("--set names no service and key", hint=_HINT)
    return Override(service, tuple(keys), value)


def overridden(document: Document, overrides: Iterable[Override]) -> Document:
    """The document with the values of those services that it describes."""
    root = document.root
    services = root.entries.get("services") if isinstance(root, MappingNode) else None
    for override in overrides:
        if services and isinstance(services.value, MappingNode) and override.service in services.value.entries:
            root = _with(root, ("services", override.service, *override.keys), _value(override))
    return replace(document, root=root)


def check_overrides(overrides: Iterable[Override], services: Iterable[str]) -> None:
    """UsageError for a service that no manifest describes."""
    known = tuple(services)
    for override in overrides:
        if override.service not in known:
            close = difflib.get_close_matches(override.service, known, 1)
            hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(known)}"
            raise UsageError(f"--set: there is no service {override.service!r}", hint=hint)


def _value(override: Override) -> Node:
    """The value as YAML; what is no YAML is a text."""
    try:
        return read_document(override.value, f"--set {override.service}").root
    except ManifestError:
        return ScalarNode(override.value, '"', 1, 1)


def _with(node: Node, path: tuple[str, ...], value: Node) -> Node:
    """The tree with a value at a path; maps that are missing on the way are made."""
    if not path:
        return _at(value, node.line, node.column)
    step, *rest = path
    entries = node.entries if isinstance(node, MappingNode) else {}
    old = entries.get(step)
    below = old.value if old else MappingNode({}, node.line, node.column)
    line, column = (old.line, old.column) if old else (node.line, node.column)
    entry = Entry(step, line, column, _with(below, tuple(rest), value))
    return MappingNode({**entries, step: entry}, node.line, node.column, node.weight, node.height)


def _at(node: Node, line: int, column: int) -> Node:
    """The node with all its places in one, since what is wrong with it is not written in the file."""
    match node:
        case ScalarNode():
            return replace(node, line=line, column=column)
        case SequenceNode():
            return replace(node, items=tuple(_at(item, line, column) for item in node.items), line=line, column=column)
        case MappingNode():
            entries = {
                key: Entry(key, line, column, _at(entry.value, line, column)) for key, entry in node.entries.items()
            }
            return replace(node, entries=entries, line=line, column=column)
