"""One manifest file, read and checked by itself: its values, their places, and all mistakes that need no other file."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from pydantic import ValidationError

from orchestrator.core.errors import ManifestError
from orchestrator.core.finding import Finding, Related
from orchestrator.core.fleet import Place
from orchestrator.manifest.document import read_document
from orchestrator.manifest.explain import Wrong, came_from_variables, dotted, explain
from orchestrator.manifest.interpolation import Gap, expand
from orchestrator.manifest.mistake import fatal, mistake
from orchestrator.manifest.model import ManifestModel
from orchestrator.manifest.node import Document, MappingNode, Node, Path, ScalarNode, SequenceNode
from orchestrator.manifest.overrides import Override, overridden
from orchestrator.manifest.variables import Variables

Plain = str | None | list["Plain"] | dict[str, "Plain"]
_UNITS = {"services": 3, "nodes": 1, "registry": 1, "version": 1}
"""How much is left out where something is wrong, in steps from the root, so that the rest can still be checked."""


@dataclass(frozen=True, slots=True)
class Source:
    """A manifest file. `path` is as the user gave it; `broken` are the parts that were left out of `model`."""

    path: str
    directory: FilePath
    document: Document
    variables: Variables
    model: ManifestModel
    findings: tuple[Finding, ...]
    broken: frozenset[Path]

    def written(self, *path: str | int) -> str:
        """The text at a path as it is written, its variables not filled in: this may be shown."""
        node = self.document.find(path)
        return node.text if isinstance(node, ScalarNode) else ""

    def is_filled_in(self, *path: str | int) -> bool:
        """Whether the value at a path came out of variables, so that it must not be shown."""
        return came_from_variables(self.document.find(path))

    def mistake(self, rule: str, path: Path, message: str, *, related: tuple[Related, ...] = ()) -> Finding:
        """A mistake in the value at a path, or in the nearest one above it that is written."""
        trail = self.document.trail(path)
        said = f"{dotted(path[: len(trail) - 1])}{message}"
        return mistake(rule, self.document.place(trail[-1]), said, related=related)

    def place(self, *path: str | int) -> Place:
        """Where the value at a path stands, or the nearest one above it that is written."""
        return self.document.place(self.document.find(path))

    def key_place(self, *path: str | int) -> Place:
        """Where the key at a path stands."""
        return self.document.place(self.document.key(path))

    def names(self, section: str) -> tuple[str, ...]:
        """The names that a section of the file gives, also those that are described wrongly."""
        node = self.document.find((section,))
        return tuple(node.entries) if isinstance(node, MappingNode) and node is not self.document.root else ()


def read_source(
    text: str, path: str, directory: FilePath, variables: Variables, overrides: tuple[Override, ...] = ()
) -> Source:
    """Read a manifest; raises ManifestError only where nothing can be made of the text."""
    document = overridden(read_document(text, path), overrides)
    root = document.root
    if isinstance(root, ScalarNode) and root.is_null:
        message = "the manifest is empty; `mabuild init` writes a first one"
        raise fatal("empty", Place(path, 1, 1), message)
    if not isinstance(root, MappingNode):
        raise ManifestError(
            (
                *document.findings,
                mistake("wrong-type", document.place(root), "a manifest is a map: version, services, …"),
            )
        )
    filling = _Filling(document, variables)
    data = {
        entry.key: filling.plain(entry.value, (entry.key,))
        for entry in root.entries.values()
        if not entry.key.startswith("x-")
    }
    broken = {_unit(gap) for gap in filling.gaps}
    for unit in broken:
        _remove(data, unit)
    model, findings, wrong = _validated(data, document)
    return Source(
        path,
        directory,
        document,
        variables,
        model,
        (*document.findings, *filling.findings, *findings),
        frozenset(broken | wrong),
    )


def _validated(data: dict[str, Plain], document: Document) -> tuple[ManifestModel, list[Finding], set[Path]]:
    """The model of what is right, after the parts that are wrong were reported and left out."""
    findings: list[Finding] = []
    broken: set[Path] = set()
    while True:
        try:
            return ManifestModel.model_validate(data), findings, broken
        except ValidationError as error:
            found = error.errors(include_url=False, include_input=False)
        before = len(broken)
        for wrong in itertools.chain.from_iterable(map(Wrong.all_of, found)):
            findings.append(explain(wrong, document))
            broken.add(_unit(wrong.path))
            _remove(data, _unit(wrong.path))
        if len(broken) == before:  # nothing could be left out: without this the loop would not end
            data.clear()


def _unit(path: Path) -> Path:
    return path[: _UNITS.get(str(path[0]), 2)]


def _remove(data: dict[str, Plain], unit: Path) -> None:
    above: Plain = data
    for step in unit[:-1]:
        above = above.get(str(step)) if isinstance(above, dict) else None
    if isinstance(above, dict):
        above.pop(str(unit[-1]), None)


@dataclass(slots=True)
class _Filling:
    """Makes plain values of nodes, and fills in their variables."""

    document: Document
    variables: Variables
    gaps: list[Path] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def plain(self, node: Node, path: Path) -> Plain:
        """The value of a node at a path. All scalars stay text: what they mean depends on their key."""
        match node:
            case MappingNode():
                return {entry.key: self.plain(entry.value, (*path, entry.key)) for entry in node.entries.values()}
            case SequenceNode():
                return [self.plain(item, (*path, index)) for index, item in enumerate(node.items)]
            case ScalarNode():
                return None if node.is_null else self._text(node, path)

    def _text(self, node: ScalarNode, path: Path) -> str:
        if "$" not in node.text:
            return node.text
        expansion = expand(node.text, self.variables.get)
        for gap in expansion.gaps:
            self.gaps.append(path)
            place = self.document.position(node, gap.offset)
            rule = "undefined-variable" if gap.variable else "interpolation"
            self.findings.append(mistake(rule, place, f"{dotted(path)}{self._message(gap)}"))
        return expansion.text

    def _message(self, gap: Gap) -> str:
        if not gap.variable:
            return gap.message
        if gap.message:
            return f"the variable `{gap.variable}` has no value: {gap.message}"
        return f"the variable `{gap.variable}` is not set; {self.variables.advice(gap.variable)}"
