"""YAML as a tree that knows where each of its values stands; anchored values are in it once."""

from __future__ import annotations

from dataclasses import dataclass, field

from orchestrator.core.finding import Finding
from orchestrator.core.fleet import Place

NULL_WORDS = frozenset({"", "~", "null", "Null", "NULL"})
Path = tuple[str | int, ...]
"""The way from the root of a document to a value, as pydantic's `loc`."""


@dataclass(frozen=True, slots=True, eq=False)
class ScalarNode:
    """Text. `style` is the indicator that it is written with: empty for plain text, else one of `'`, `"`, `|`, `>`."""

    text: str
    style: str
    line: int
    column: int
    weight: int = 1
    height: int = 0

    @property
    def is_null(self) -> bool:
        """Whether nothing is written here, or one of YAML's words for it."""
        return not self.style and self.text in NULL_WORDS


@dataclass(frozen=True, slots=True, eq=False)
class SequenceNode:
    """A list. With aliases written out, `weight` counts everything below, and `height` the levels."""

    items: tuple[Node, ...]
    line: int
    column: int
    weight: int = 1
    height: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A key, the place of the key, and the value."""

    key: str
    line: int
    column: int
    value: Node


@dataclass(frozen=True, slots=True, eq=False)
class MappingNode:
    """A map with merge keys (`<<`) resolved, in the order in which it is written."""

    entries: dict[str, Entry] = field(default_factory=dict)
    line: int = 1
    column: int = 1
    weight: int = 1
    height: int = 1


Node = ScalarNode | SequenceNode | MappingNode


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """One YAML document: its root, its text by lines, and the mistakes that did not stop the reading."""

    path: str
    root: Node
    lines: tuple[str, ...]
    findings: tuple[Finding, ...] = ()

    def place(self, node: Node | Entry) -> Place:
        """Where a value or a key stands."""
        return Place(self.path, node.line, node.column)

    def find(self, path: Path) -> Node:
        """The value at a path, or the nearest one above it that is written."""
        return self.trail(path)[-1]

    def trail(self, path: Path) -> list[Node]:
        """The values on the way to a path, as far as they are written."""
        found: list[Node] = [self.root]
        node = self.root
        for step in path:
            below = _below(node, step)
            if below is None:
                break
            node = below
            found.append(node)
        return found

    def key(self, path: Path) -> Entry | Node:
        """The key at a path, or the nearest value above it that is written."""
        above = self.find(path[:-1]) if path else self.root
        if path and isinstance(above, MappingNode) and path[-1] in above.entries:
            return above.entries[str(path[-1])]
        return self.find(path)

    def position(self, node: ScalarNode, offset: int) -> Place:
        """Where a character of a text stands; the start of the text where escapes or folds make that unclear."""
        if node.style == "|":
            return self._block_position(node, offset)
        column = node.column + (1 if node.style in {"'", '"'} else 0)
        written = self.lines[node.line - 1][column - 1 :] if node.line <= len(self.lines) else ""
        if node.style == ">" or not written.startswith(node.text[:offset]):
            return self.place(node)
        return Place(self.path, node.line, column + offset)

    def _block_position(self, node: ScalarNode, offset: int) -> Place:
        before = node.text[:offset]
        row = before.count("\n")
        inside = len(before) - (before.rfind("\n") + 1)
        return Place(self.path, node.line + 1 + row, self.block_indent(node) + inside + 1)

    def block_indent(self, node: ScalarNode) -> int:
        """The columns before the text of a block (`|` or `>`)."""
        for text, written in zip(node.text.split("\n"), self.lines[node.line :], strict=False):
            if text.strip():
                return max(len(written) - len(text), 0) if written.endswith(text) else _leading(written)
        return 0


def _leading(text: str) -> int:
    return len(text) - len(text.lstrip(" "))


def _below(node: Node, step: str | int) -> Node | None:
    if isinstance(node, MappingNode) and isinstance(step, str) and step in node.entries:
        return node.entries[step].value
    if isinstance(node, SequenceNode) and isinstance(step, int) and 0 <= step < len(node.items):
        return node.items[step]
    return None
