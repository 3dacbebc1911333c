"""How tree-sitter's words become ours: literals, variables and outputs of commands, each with its place."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.auditing.shell.syntax import Block, Literal, Opaque, Output, Part, Variable, Word
from orchestrator.auditing.shell.words import make_word, parts_of, word_of

if TYPE_CHECKING:
    from tree_sitter import Node as Raw

EMPTY = Word((), 0, 0)
_OPERATOR = re.compile(r":?[-+=?]|[#%]{1,2}|//?|\^{1,2}|,{1,2}|:")


@dataclass(slots=True)
class WordReader(ABC):
    """Words of one text, or of the part of it that begins at `base`.

    `offsets` maps bytes to characters, and is empty where both are the same.
    """

    text: str
    offsets: tuple[int, ...]
    base: int = 0

    @abstractmethod
    def block(self, raw: Raw, depth: int) -> Block:
        """The statements among a node's children."""

    def span(self, raw: Raw) -> tuple[int, int]:
        """Where a node stands."""
        start, end = raw.start_byte, raw.end_byte
        return (self.offsets[start], self.offsets[end]) if self.offsets else (start + self.base, end + self.base)

    def source(self, raw: Raw) -> str:
        """A node's text."""
        start, end = self.span(raw)
        return self.text[start:end]

    def word(self, raw: Raw, depth: int) -> Word:
        """A node as a word."""
        start, end = self.span(raw)
        if raw.type in {"extglob_pattern", "regex"}:
            return word_of(self.text[start:end], start)
        return make_word(tuple(self.parts(raw, "", depth)), start, end)

    def parts(self, raw: Raw, quote: str, depth: int) -> Iterator[Part]:
        """What a word consists of."""
        start, end = self.span(raw)
        match raw.type:
            case "string" | "translated_string":
                yield from self.filled(raw, self.text.find('"', start) + 1, end - 1, '"', depth)
            case "concatenation":
                yield from self.filled(raw, start, end, quote, depth)
            case "raw_string" | "ansi_c_string":
                opening = self.text.index("'", start) + 1
                yield Literal(self.text[opening : end - 1], opening, "'")
            case "command_substitution" | "process_substitution":
                yield Output(self.block(raw, depth + 1), start, end, raw.type == "process_substitution")
            case "simple_expansion":
                yield from self.variable(start, end, quote)
            case "expansion":
                yield self.expansion(raw, depth)
            case _:
                yield from self.plain(raw, quote)

    def variable(self, start: int, end: int, quote: str) -> Iterator[Part]:
        """`$NAME`; inside quotes the grammar takes the spaces before it along."""
        sign = self.text.index("$", start)
        if sign > start:
            yield Literal(self.text[start:sign], start, quote)
        yield Variable(self.text[sign + 1 : end], sign, end)

    def plain(self, raw: Raw, quote: str) -> Iterator[Part]:
        start, end = self.span(raw)
        text = self.text[start:end]
        if raw.type in {"arithmetic_expansion", "subscript", "ERROR"}:
            yield Opaque(start, end)
        elif raw.child_count and "$" in text:
            yield from parts_of(text, start)
        elif text:
            yield Literal(text, start, quote)

    def filled(self, raw: Raw, start: int, end: int, quote: str, depth: int) -> Iterator[Part]:
        """The children, and the text between them that the grammar leaves out."""
        at = start
        for child in raw.named_children:
            begin, stop = self.span(child)
            if begin < at:
                continue
            if begin > at:
                yield Literal(self.text[at:begin], at, quote)
            yield from self.parts(child, quote, depth)
            at = stop
        if at < end:
            yield Literal(self.text[at:end], at, quote)

    def expansion(self, raw: Raw, depth: int) -> Part:
        """`${…}`: the name, the operator, and the words behind it."""
        start, end = self.span(raw)
        named = next((child for child in raw.children if child.type in _NAMES), None)
        if named is None or depth > _DEEPEST:
            return Opaque(start, end)
        inner = named.child_by_field_name("name") if named.type == "subscript" else named
        index = named.child_by_field_name("index") if named.type == "subscript" else None
        key = (self.word(index, depth + 1),) if index is not None else ()
        if self.text[start + 2 : self.span(named)[0]] in {"#", "!"}:
            return Opaque(start, end)
        at = self.span(named)[1]
        operator = _OPERATOR.match(self.text, at, end - 1)
        name = self.source(inner) if inner is not None else ""
        if operator is None:
            return Variable(name, start, end, key=key)
        arguments = tuple(self.arguments(raw, operator[0], (operator.end(), end - 1), depth))
        return Variable(name, start, end, operator[0], arguments, key)

    def arguments(self, raw: Raw, operator: str, span: tuple[int, int], depth: int) -> Iterator[Word]:
        """One word behind most operators, two behind `/`."""
        begin, end = span
        pieces = [child for child in raw.named_children if self.span(child)[0] >= begin]
        if not operator.startswith("/"):
            yield self.argument(pieces, begin, end, depth)
            return
        slash = _slash(self.text, begin, end)
        before = [child for child in pieces if self.span(child)[0] < slash]
        yield self.argument(before, begin, slash, depth)
        yield self.argument([child for child in pieces if child not in before], min(slash + 1, end), end, depth)

    def argument(self, pieces: list[Raw], begin: int, end: int, depth: int) -> Word:
        if any(piece.type == "command_substitution" for piece in pieces):
            parts = [part for piece in pieces for part in self.parts(piece, "", depth + 1)]
            return make_word(tuple(parts), begin, end)
        return word_of(self.text[begin:end], begin)


_DEEPEST = 40
_NAMES = frozenset({"variable_name", "special_variable_name", "subscript"})


def _slash(text: str, begin: int, end: int) -> int:
    """The slash between pattern and replacement; the end where there is none."""
    at = begin
    while at < end:
        if text[at] == "\\":
            at += 1
        elif text[at] == "/":
            return at
        at += 1
    return end
