"""Compose services with what they extend: every value with the file that it stands in, nearest last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.core.errors import ManifestError, UsageError
from orchestrator.core.fleet import Place
from orchestrator.manifest.document import read_document
from orchestrator.manifest.draft import OptionalPairs
from orchestrator.manifest.files import File, manifest_text
from orchestrator.manifest.importing.imported import Notes
from orchestrator.manifest.node import Document, Entry, MappingNode, Node, ScalarNode, SequenceNode

_DEEPEST = 16
EMPTY = MappingNode()


@dataclass(frozen=True, slots=True)
class Layer:
    """A service as one file says it; paths in it are relative to `directory`."""

    document: Document
    directory: Path
    service: MappingNode

    def build(self) -> MappingNode:
        """What stands under `build`; a text there is the context."""
        node = at(self.service, "build")
        if isinstance(node, ScalarNode):
            entry = Entry("context", node.line, node.column, node)
            return EMPTY if node.is_null else MappingNode({"context": entry}, node.line, node.column)
        return node if isinstance(node, MappingNode) else EMPTY

    def place(self, node: Node | Entry) -> Place:
        """Where a value stands."""
        return self.document.place(node)


@dataclass(slots=True)
class Library:
    """Reads compose files, each once; `notes` hears of extended services that are not there."""

    notes: Notes
    documents: dict[Path, Document] = field(default_factory=dict)

    def layers(self, document: Document, directory: Path, name: str, depth: int = 0) -> tuple[Layer, ...]:
        """What a service extends, and the service itself."""
        node = at(document.root, "services", name)
        if not isinstance(node, MappingNode) or node is EMPTY:
            return ()
        extends = at(node, "extends")
        return (*self._extended(document, directory, extends, depth), Layer(document, directory, node))

    def _extended(self, document: Document, directory: Path, extends: Node, depth: int) -> tuple[Layer, ...]:
        service = text(extends) or text(at(extends, "service"))
        file = text(at(extends, "file"))
        if not service:
            return ()
        place = document.place(extends)
        if depth > _DEEPEST:
            self.notes.add(place, "`extends` leads round in a circle or too far, and is left out")
            return ()
        path = directory / file
        try:
            other = self.read(path, file) if file else document
        except (UsageError, ManifestError) as error:
            self.notes.add(place, f"`extends` is left out: {error.message}")
            return ()
        found = self.layers(other, path.parent if file else directory, service, depth + 1)
        if not found:
            self.notes.add(place, f"`extends` is left out: there is no service `{service}`")
        return found

    def read(self, path: Path, shown: str) -> Document:
        """A compose file."""
        if path not in self.documents:
            self.documents[path] = read_document(manifest_text(File(shown, path)), shown)
        return self.documents[path]


def at(node: Node, *keys: str) -> Node:
    """The value under keys; an empty map where there is none."""
    for key in keys:
        if not isinstance(node, MappingNode) or key not in node.entries:
            return EMPTY
        node = node.entries[key].value
    return node


def text(node: Node) -> str:
    """A scalar's text."""
    return node.text if isinstance(node, ScalarNode) and not node.is_null else ""


def texts(node: Node) -> tuple[str, ...]:
    """The texts of a list, or of one word."""
    items = node.items if isinstance(node, SequenceNode) else (node,)
    return tuple(found for found in map(text, items) if found)


def pairs(node: Node) -> OptionalPairs:
    """A map, or a list of KEY=value."""
    if isinstance(node, MappingNode):
        return tuple((key, _value(entry.value)) for key, entry in node.entries.items())
    split = (item.partition("=") for item in texts(node))
    return tuple((key, value if equals else None) for key, equals, value in split)


def _value(node: Node) -> str | None:
    return node.text if isinstance(node, ScalarNode) and not node.is_null else None


def last(layers: tuple[Layer, ...], *keys: str) -> tuple[Layer, Node]:
    """The nearest value under keys of `build`, with its layer."""
    for layer in reversed(layers):
        node = at(layer.build(), *keys)
        if node is not EMPTY:
            return layer, node
    return layers[-1], EMPTY


def every(layers: tuple[Layer, ...], *keys: str) -> Iterator[tuple[Layer, Node]]:
    """All values under keys of `build`, each with its layer, farthest first."""
    for layer in layers:
        node = at(layer.build(), *keys)
        if node is not EMPTY:
            yield layer, node


def joined(layers: tuple[Layer, ...], *keys: str) -> OptionalPairs:
    """The maps of all layers as one; nearer ones win."""
    found: dict[str, str | None] = {}
    for _, node in every(layers, *keys):
        found.update(pairs(node))
    return tuple(found.items())
