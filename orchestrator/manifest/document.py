"""Text becomes a YAML tree with places, whatever the text is: size, depth and the growth of aliases are bounded."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

import yaml

from orchestrator.core.errors import ManifestError
from orchestrator.core.finding import Finding
from orchestrator.core.fleet import Place
from orchestrator.manifest.mistake import also, fatal, mistake
from orchestrator.manifest.node import Document, Entry, MappingNode, Node, ScalarNode, SequenceNode

MAXIMUM_DEPTH = 64
MAXIMUM_WEIGHT = 200_000
"""Values in a document with aliases written out; a service has about 30."""
_LETTERS_PER_WEIGHT = 64
_LOADER = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CORE_TAGS = frozenset(f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "map", "seq"))
_PROBLEMS = {
    "mapping values are not allowed in this context": "a second `:` on the line; put a text with `: ` in quotes",
    "did not find expected key": "this is indented differently from the lines that it belongs to",
    "did not find expected '-' indicator": "a list goes on with `-`; this is indented like one of its items",
    "could not find expected ':'": "a `:` behind the key is missing",
    "found unexpected end of stream": "a quote that was opened is not closed",
}
_STRING_TAGS = frozenset({"!", "tag:yaml.org,2002:str"})


def read_document(text: str, path: str) -> Document:
    """The only document of a YAML text; an empty text gives a null. Raises ManifestError for what is not YAML."""
    text = text.removeprefix("\ufeff")
    lines = tuple(text.split("\n"))
    odd = _UNPRINTABLE.search(text)
    if odd:
        place = _place_at(text, odd.start(), path)
        raise fatal("syntax", place, f"the character U+{ord(odd[0]):04X} is not allowed in YAML")
    try:
        return _Composer(path, lines, yaml.parse(text, Loader=_LOADER)).document()
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(error, path, lines) from None


def _place_at(text: str, offset: int, path: str) -> Place:
    return Place(path, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def _syntax_error(error: yaml.MarkedYAMLError, path: str, lines: tuple[str, ...]) -> ManifestError:
    mark = error.problem_mark or error.context_mark
    place = Place(path, mark.line + 1, mark.column + 1) if mark else Place(path, 1, 1)
    if error.problem == "exceeded maximum nesting depth":
        return fatal("too-deep", place, f"this is nested deeper than {MAXIMUM_DEPTH} levels")
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    letter = line[place.column - 1 : place.column]
    message = f"this is not YAML: {_PROBLEMS.get(error.problem or '', error.problem)}"
    if letter == "\t" or "\t" in line[: len(line) - len(line.lstrip())]:
        message = "this is not YAML: a tab stands where only spaces may"
    elif letter in {"@", "`", "%"}:
        message = f"this is not YAML: no value can begin with {letter}; put it in quotes"
    context = error.context_mark
    around = also(Place(path, context.line + 1, 1), error.context or "") if context and error.context else ()
    return fatal("syntax", place, message, related=around if context and context.line != place.line - 1 else ())


@dataclass(slots=True)
class _Composer:
    path: str
    lines: tuple[str, ...]
    events: Iterator[yaml.Event]
    anchors: dict[str, Node] = field(default_factory=dict)
    open_anchors: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)
    count: int = 0

    def document(self) -> Document:
        """Read all events of the only document."""
        root: Node = ScalarNode("", "", 1, 1)
        documents = 0
        for event in self.events:
            if not isinstance(event, yaml.DocumentStartEvent):
                continue
            documents += 1
            if documents > 1:
                raise fatal("syntax", self._place(event), "a second YAML document begins; one file is one document")
            root = self._node(next(self.events), 0)
        return Document(self.path, root, self.lines, tuple(self.findings))

    def _place(self, event: yaml.Event) -> Place:
        mark = event.start_mark
        return Place(self.path, mark.line + 1, mark.column + 1) if mark else Place(self.path, 1, 1)

    def _node(self, event: yaml.Event, depth: int) -> Node:
        self._count(event, depth)
        if isinstance(event, yaml.AliasEvent):
            return self._fitting(self._alias(event), event, depth)
        anchor = event.anchor if isinstance(event, yaml.NodeEvent) else None
        if anchor:
            self.open_anchors.add(anchor)
        node = self._content(event, depth)
        if anchor:
            self.open_anchors.discard(anchor)
            self.anchors[anchor] = node
        return self._fitting(node, event, depth)

    def _fitting(self, node: Node, event: yaml.Event, depth: int) -> Node:
        if node.weight > MAXIMUM_WEIGHT:
            raise fatal("too-large", self._place(event), f"aliases make this larger than {MAXIMUM_WEIGHT:,} values")
        if depth + node.height > MAXIMUM_DEPTH:
            raise fatal("too-deep", self._place(event), f"aliases nest this deeper than {MAXIMUM_DEPTH} levels")
        return node

    def _count(self, event: yaml.Event, depth: int) -> None:
        self.count += 1
        if depth > MAXIMUM_DEPTH:
            raise fatal("too-deep", self._place(event), f"this is nested deeper than {MAXIMUM_DEPTH} levels")
        if self.count > MAXIMUM_WEIGHT:
            raise fatal("too-large", self._place(event), f"a file has at most {MAXIMUM_WEIGHT:,} values")

    def _alias(self, event: yaml.AliasEvent) -> Node:
        if event.anchor in self.open_anchors:
            raise fatal("anchor", self._place(event), f"the anchor `{event.anchor}` contains itself")
        if event.anchor not in self.anchors:
            raise fatal("anchor", self._place(event), f"there is no anchor `{event.anchor}` above this line")
        return self.anchors[event.anchor]

    def _content(self, event: yaml.Event, depth: int) -> Node:
        self._check_tag(event)
        place = self._place(event)
        if isinstance(event, yaml.ScalarEvent):
            self._check_text(event)
            style = '"' if not event.style and event.tag in _STRING_TAGS else event.style or ""
            weight = 1 + len(event.value) // _LETTERS_PER_WEIGHT
            return ScalarNode(event.value, style, place.line, place.column, weight)
        if isinstance(event, yaml.SequenceStartEvent):
            items = tuple(self._node(item, depth + 1) for item in self._until(yaml.SequenceEndEvent))
            return SequenceNode(items, place.line, place.column, *_size(items))
        return self._mapping(place, depth)

    def _check_tag(self, event: yaml.Event) -> None:
        tag = getattr(event, "tag", None)
        if tag and tag != "!" and tag not in _CORE_TAGS:
            self.findings.append(mistake("syntax", self._place(event), f"the YAML tag `{tag}` means nothing here"))

    def _check_text(self, event: yaml.ScalarEvent) -> None:
        odd = _UNPRINTABLE.search(event.value)
        if odd:
            message = f"this text has the character U+{ord(odd[0]):04X}, which no value may have"
            raise fatal("syntax", self._place(event), message)

    def _until(self, end: type[yaml.Event]) -> Iterator[yaml.Event]:
        for event in self.events:
            if isinstance(event, end):
                return
            yield event

    def _mapping(self, place: Place, depth: int) -> MappingNode:
        own: dict[str, Entry] = {}
        merged: dict[str, Entry] = {}
        values: list[Node] = []
        for event in self._until(yaml.MappingEndEvent):
            key = self._node(event, depth + 1)
            value = self._node(next(self.events), depth + 1)
            values += (key, value)
            if not isinstance(key, ScalarNode):
                self.findings.append(mistake("syntax", self._place(event), "a key has to be a word"))
            elif key.text == "<<" and not key.style:
                self._merge(value, self._place(event), merged)
            else:
                self._enter(own, Entry(key.text, key.line, key.column, value))
        return MappingNode({**own, **_without(merged, own)}, place.line, place.column, *_size(values))

    def _enter(self, entries: dict[str, Entry], entry: Entry) -> None:
        first = entries.setdefault(entry.key, entry)
        if first is entry:
            return
        place = Place(self.path, entry.line, entry.column)
        related = also(Place(self.path, first.line, first.column), "given first here")
        self.findings.append(mistake("duplicate-key", place, f"the key `{entry.key}` is given twice", related=related))

    def _merge(self, value: Node, place: Place, merged: dict[str, Entry]) -> None:
        sources = value.items if isinstance(value, SequenceNode) else (value,)
        for source in sources:
            if isinstance(source, MappingNode):
                merged.update(_without(source.entries, merged))
            else:
                self.findings.append(mistake("syntax", place, "`<<` takes a map, or a list of maps"))


def _size(below: Collection[Node]) -> tuple[int, int]:
    """Weight and height of what holds these nodes."""
    return 1 + sum(node.weight for node in below), 1 + max((node.height for node in below), default=0)


def _without(entries: dict[str, Entry], taken: dict[str, Entry]) -> dict[str, Entry]:
    return {key: entry for key, entry in entries.items() if key not in taken}
