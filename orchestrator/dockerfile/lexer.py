"""BuildKit's shell lexer: variables, quotes and escapes in words of a Dockerfile."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from orchestrator.dockerfile.pattern import replaced, without_prefix, without_suffix
from orchestrator.dockerfile.source import WHITESPACE, shown

LONGEST = 65_536
"""Characters that a word may expand to: values that double with each line end here."""
_DEEPEST = 50
_SPECIAL = "@*#?-$!0"
_SPACE = re.compile(f"[{WHITESPACE}]")
_VARIABLE = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})")
_PLAIN = re.compile(r"[^\s$'\"<\\`}/\x85]+")


Lookup = Callable[[str], str | None]


class ExpansionError(Exception):
    """A word that BuildKit refuses to expand: an unclosed quote or brace, or an operator that it does not know."""


@dataclass(frozen=True, slots=True)
class Expanded:
    """A word after expansion; `missing` are the variables in it that have no value."""

    text: str
    used: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Words:
    """The words of a line: split at spaces, but not at those that were quoted or escaped."""

    done: list[str] = field(default_factory=list)
    current: list[str] = field(default_factory=list)
    inside: bool = False

    def add(self, text: str) -> None:
        if not _SPACE.search(text):
            if text:
                self.add_raw(text)
            return
        for character in text:
            if character not in WHITESPACE:
                self.add_raw(character)
            elif self.inside and self.current:
                self.done.append("".join(self.current))
                self.current, self.inside = [], False

    def add_raw(self, text: str) -> None:
        self.inside = True
        if text:
            self.current.append(text)

    def all(self) -> list[str]:
        if self.current:
            self.done.append("".join(self.current))
            self.current, self.inside = [], False
        return self.done


@dataclass(slots=True)
class Lexer:
    """One pass over one text. `keep_quotes`, `keep_escapes` and `keep_unset` leave these as they are written."""

    source: str
    value_of: Lookup
    escape: str = "\\"
    keep_quotes: bool = False
    keep_escapes: bool = False
    keep_unset: bool = False
    at: int = 0
    depth: int = 0
    grown: int = 0
    used: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)

    def run(self) -> tuple[str, list[str]]:
        """The expanded text and the words in it."""
        return self._until("", raw_escapes=self.keep_escapes)

    def _peek(self) -> str:
        return self.source[self.at : self.at + 1]

    def _next(self) -> str:
        character = self.source[self.at : self.at + 1]
        self.at += 1
        return character

    def _until(self, stop: str, *, raw_escapes: bool) -> tuple[str, list[str]]:
        before, self.keep_escapes = self.keep_escapes, raw_escapes
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ExpansionError(f"substitutions are nested more than {_DEEPEST} deep")
        try:
            return self._collect(stop)
        finally:
            self.depth -= 1
            self.keep_escapes = before

    def _collect(self, stop: str) -> tuple[str, list[str]]:
        result: list[str] = []
        words = _Words()
        while self.at < len(self.source):
            character = self._peek()
            if stop and character == stop:
                self.at += 1
                return "".join(result), words.all()
            result.append(self._piece(character, words))
        if stop:
            raise ExpansionError(f"no matching {stop}")
        return "".join(result), words.all()

    def _piece(self, character: str, words: _Words) -> str:
        match character:
            case "$":
                piece = self._dollar()
                words.add(piece)
            case "'":
                piece = self._single_quoted()
                words.add_raw(piece)
            case '"':
                piece = self._double_quoted()
                words.add_raw(piece)
            case "<":
                piece = self._less()
                words.add_raw(piece)
            case self.escape:
                piece = self._escaped()
                words.add_raw(piece)
            case _:
                plain = _PLAIN.match(self.source, self.at)
                piece = plain[0] if plain else character
                self.at += len(piece)
                words.add(piece)
        return piece

    def _escaped(self) -> str:
        token = self._next()
        kept = token if self.keep_escapes else ""
        return kept + self._next()

    def _less(self) -> str:
        """`<<` with the spaces behind it is one piece, so that `<< EOF` is one word."""
        self.at += 1
        if self._peek() != "<":
            return "<"
        self.at += 1
        start = self.at
        while self._peek() and self._peek() in " \t\r":
            self.at += 1
        return "<<" + self.source[start : self.at]

    def _single_quoted(self) -> str:
        end = self.source.find("'", self.at + 1)
        if end < 0:
            raise ExpansionError("no matching single quote")
        inside = self.source[self.at + 1 : end]
        self.at = end + 1
        return f"'{inside}'" if self.keep_quotes else inside

    def _double_quoted(self) -> str:
        quote = self._next() if self.keep_quotes else ""
        self.at += 0 if self.keep_quotes else 1
        result = [quote]
        while True:
            match self._peek():
                case "":
                    raise ExpansionError("no matching double quote")
                case '"':
                    self.at += 1
                    return "".join([*result, quote])
                case "$":
                    result.append(self._dollar())
                case _:
                    result.append(self._quoted_character())

    def _quoted_character(self) -> str:
        character = self._next()
        if character != self.escape:
            return character
        kept = character if self.keep_escapes else ""
        following = self._peek()
        if not following:
            return kept
        return kept + self._next() if following in {'"', "$", self.escape} else kept + character

    def _dollar(self) -> str:
        self.at += 1
        if self._peek() != "{":
            name = self._name()
            if not name:
                return "$"
            return self._value(name, f"${name}")
        self.at += 1
        if not self._peek() or self._peek() in "{}:":
            raise ExpansionError("bad substitution")
        name = self._name()
        operator = self._next()
        match operator:
            case "}":
                return self._value(name, f"${{{name}}}")
            case ":":
                return self._modified(name, self._next(), colon=":")
            case "/":
                return self._replaced(name)
            case _:
                return self._modified(name, operator, colon="")

    def _lookup(self, name: str) -> str | None:
        value = self.value_of(name)
        (self.missing if value is None else self.used).add(name)
        self.grown += len(value or "")
        if self.grown > LONGEST:
            raise ExpansionError(f"it grows longer than {LONGEST} characters")
        return value

    def _value(self, name: str, written: str) -> str:
        value = self._lookup(name)
        if value is None:
            return written if self.keep_unset else ""
        return value

    def _modified(self, name: str, operator: str, *, colon: str) -> str:
        if not operator or operator not in "+-?#%":
            raise ExpansionError(f"unsupported modifier ({colon}{operator}) in substitution")
        word, _ = self._until("}", raw_escapes=operator in "#%")
        value = self._lookup(name)
        if value is None and self.keep_unset:
            return f"${{{name}{colon}{operator}{word}}}"
        is_set = value is not None and not (colon and value == "")
        match operator:
            case "-":
                return value or "" if is_set else word
            case "+":
                return word if is_set else ""
            case "?":
                if not is_set:
                    raise ExpansionError(f"{shown(name)}: {shown(word) or 'is not allowed to be unset'}")
                return value or ""
            case _:
                return _trimmed(operator, word, value or "")

    def _replaced(self, name: str) -> str:
        everywhere = self._peek() == "/"
        self.at += everywhere
        pattern, _ = self._until("/", raw_escapes=True)
        replacement, _ = self._until("}", raw_escapes=True)
        value = self._lookup(name)
        if value is None and self.keep_unset:
            return f"${{{name}/{pattern}/{replacement}}}"
        if everywhere and len(value or "") * len(replacement) > LONGEST:
            raise ExpansionError(f"it grows longer than {LONGEST} characters")
        return replaced(value or "", pattern, replacement, everywhere=everywhere)

    def _name(self) -> str:
        first = self._peek()
        start = self.at
        if first.isdecimal():
            while self._peek().isdecimal():
                self.at += 1
        elif first and first in _SPECIAL:
            self.at += 1
        else:
            while self._peek() == "_" or self._peek().isalnum():
                self.at += 1
        return self.source[start : self.at]


def _trimmed(operator: str, word: str, value: str) -> str:
    longest = word.startswith(operator)
    pattern = word.removeprefix(operator)
    if operator == "%":
        return without_suffix(value, pattern, longest=longest)
    return without_prefix(value, pattern, longest=longest)


def expand(word: str, value_of: Lookup, escape: str = "\\") -> Expanded:
    """Expand variables, quotes and escapes as BuildKit does in FROM, ARG, ENV, COPY and the like.

    Raises ExpansionError for what BuildKit refuses.
    """
    if not any(character in word for character in ("$", "'", '"', escape)):
        return Expanded(word)
    variable = _VARIABLE.fullmatch(word)
    if variable:
        name = variable[1] or variable[2]
        value = value_of(name)
        return Expanded("", missing=frozenset({name})) if value is None else Expanded(value, frozenset({name}))
    lexer = Lexer(word, value_of, escape)
    text, _ = lexer.run()
    return Expanded(text, frozenset(lexer.used), frozenset(lexer.missing))
