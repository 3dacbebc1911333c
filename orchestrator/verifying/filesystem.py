"""The root file system of an image as a map: its layers put on each other as containerd does it.

Rules (image-spec, layer.md; containerd's archive package): whiteouts and opaque directories hide what lower layers
have, whatever their place in the archive; a file replaces a directory with all that is in it; a directory replaces a
link; parents that are links are followed, and nothing ever leaves the root.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from orchestrator.verifying.node import Node, NodeKind

MOST_LINKS = 40
_MOST_REPLACED = 50
_REPLACING = frozenset({NodeKind.FILE, NodeKind.SYMLINK, NodeKind.HARDLINK, NodeKind.OTHER})
_DIRECTORY = Node(NodeKind.DIRECTORY, 0o755)


class LowerLayerNeededError(Exception):
    """The answer depends on layers that were not read."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a path leads to: the real path, its node, and the number of the layer that it comes from.

    `node` is None where there is nothing, and `reason` says why.
    """

    path: str
    node: Node | None = None
    layer: int = -1
    reason: str = ""


class FileMap:
    """Paths to nodes. `is_partial`: lower layers were not read, and a question that needs them raises."""

    def __init__(self, *, is_partial: bool = False) -> None:
        self._nodes: dict[str, tuple[int, Node]] = {}
        self._hidden: set[str] = set()
        self._opaque: set[str] = set()
        self.is_partial = is_partial
        self._replaced = 0
        self.broken_links: list[str] = []

    def __len__(self) -> int:
        return len(self._nodes)

    def items(self) -> Iterator[tuple[str, int, Node]]:
        """Every path with its layer's number and its node."""
        for path, (layer, node) in self._nodes.items():
            yield path, layer, node

    def paths(self) -> Iterable[str]:
        """Every path."""
        return self._nodes.keys()

    def get(self, path: str) -> Node | None:
        """What is at exactly this path, links not followed."""
        found = self._nodes.get(path)
        return found[1] if found else None

    def put_layer(self, number: int, entries: Iterable[tuple[str, Node]]) -> None:
        """Put a layer on those that are there."""
        entries = tuple(entries)
        self._remove_hidden(entries)
        for path, node in entries:
            if node.kind not in (NodeKind.WHITEOUT, NodeKind.OPAQUE):
                self._put(path, number, node)

    def find(self, path: str, folder: str = "") -> Found:
        """What a path leads to from a folder, links followed; an absolute path begins at the root."""
        todo = _parts(path if path.startswith("/") else f"{folder}/{path}")[::-1]
        done: list[str] = []
        links = 0
        while todo:
            part = todo.pop()
            if part == "..":
                done = done[:-1]
                continue
            here = "/".join((*done, part))
            node = self._node(here)
            if node is None:
                return self._nothing(here)
            if node.kind is NodeKind.SYMLINK:
                links += 1
                if links > MOST_LINKS:
                    return Found(here, reason=f"/{here} leads through more than {MOST_LINKS} links")
                done = [] if node.target.startswith("/") else done
                todo += _parts(node.target)[::-1]
            elif todo and node.kind is not NodeKind.DIRECTORY:
                return Found(here, reason=f"/{here} is no directory")
            else:
                done = [*done, part]
        layer, node = self._nodes.get("/".join(done), (-1, _DIRECTORY))
        return Found("/".join(done), node, layer)

    def _node(self, path: str) -> Node | None:
        """What is at exactly this path; a hard link whose target was not read needs lower layers."""
        found = self._nodes.get(path)
        if found and found[1].kind is NodeKind.HARDLINK:
            raise LowerLayerNeededError(found[1].target)
        return found[1] if found else None

    def _nothing(self, path: str) -> Found:
        if self.is_partial and not self._is_hidden(path):
            raise LowerLayerNeededError(path)
        return Found(path, reason=f"/{path} does not exist")

    def _is_hidden(self, path: str) -> bool:
        """Whether a layer that was read says that lower layers have nothing there."""
        return path in self._hidden or _is_below(path, self._hidden, self._opaque)

    def _remove_hidden(self, entries: tuple[tuple[str, Node], ...]) -> None:
        """Take away what this layer hides or replaces of the lower ones, in one pass over the map."""
        hidden = {self._real(path) for path, node in entries if node.kind is NodeKind.WHITEOUT}
        opaque = {self._real(path, last=True) for path, node in entries if node.kind is NodeKind.OPAQUE}
        self._hidden |= hidden
        self._opaque |= opaque
        replaced = {path for path, node in entries if node.kind in _REPLACING and self._is_directory(path)}
        if hidden or opaque or replaced:
            gone = hidden | replaced
            self._nodes = {
                path: found
                for path, found in self._nodes.items()
                if path not in hidden and not _is_below(path, gone, opaque)
            }

    def _is_directory(self, path: str) -> bool:
        found = self._nodes.get(path)
        return found is not None and found[1].kind is NodeKind.DIRECTORY

    def _put(self, path: str, number: int, node: Node) -> None:
        path = self._real(path)
        if node.kind is NodeKind.HARDLINK:
            node = self._link_target(path, node)
        if node.kind is not NodeKind.DIRECTORY and self._is_directory(path):
            self._remove_below(path)
        self._nodes[path] = (number, node)
        self._make_parents(path, number)

    def _link_target(self, path: str, node: Node) -> Node:
        target = self._real(node.target.strip("/"))
        found = self._nodes.get(target)
        if found is None and self.is_partial:
            return node
        if found is None or found[1].kind is NodeKind.DIRECTORY:
            self.broken_links.append(path)
            return Node(NodeKind.OTHER, node.mode)
        return found[1]

    def _make_parents(self, path: str, number: int) -> None:
        for above in _above(path):
            found = self._nodes.get(above)
            if found and found[1].kind is NodeKind.DIRECTORY:
                return
            self._nodes[above] = (number, _DIRECTORY)

    def _remove_below(self, path: str) -> None:
        """A layer that has a directory and then something else at its place: against the rules, so only so often."""
        self._replaced += 1
        if self._replaced > _MOST_REPLACED:
            return
        prefix = f"{path}/"
        for below in [one for one in self._nodes if one.startswith(prefix)]:
            del self._nodes[below]

    def _real(self, path: str, *, last: bool = False) -> str:
        """The path with links in its parents (`last`: in itself too) followed as far as they lead."""
        parts = _parts(path)
        if not parts or (len(parts) == 1 and not last):
            return "/".join(parts)
        todo = (parts if last else parts[:-1])[::-1]
        done: list[str] = []
        links = 0
        while todo:
            part = todo.pop()
            if part == "..":
                done = done[:-1]
                continue
            here = "/".join((*done, part))
            found = self._nodes.get(here)
            if found and found[1].kind is NodeKind.SYMLINK and links < MOST_LINKS:
                links += 1
                target = found[1].target
                done = [] if target.startswith("/") else done
                todo += _parts(target)[::-1]
                continue
            done.append(part)
        return "/".join(done if last else (*done, parts[-1]))


def _above(path: str) -> Iterator[str]:
    """The directories above a path, nearest first."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _is_below(path: str, gone: set[str], emptied: set[str]) -> bool:
    """Whether a path lies in something that is gone, or in a directory that was emptied."""
    return "" in emptied or any(above in gone or above in emptied for above in _above(path))
