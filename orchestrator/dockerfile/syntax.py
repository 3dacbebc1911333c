"""The grammar of each keyword: what its flags, words and assignments are in a joined line."""

from __future__ import annotations

import re
from dataclasses import dataclass

from orchestrator.core.errors import DockerfileError
from orchestrator.dockerfile.instruction import KEYWORDS, Assignment, Flag
from orchestrator.dockerfile.source import SourceText, Word, shown
from orchestrator.dockerfile.words import (
    SPACES,
    NotStringsError,
    Span,
    json_strings,
    split_first,
    split_flags,
    split_quoted,
    split_spaces,
    stripped,
    unquoted,
)

_JSON = frozenset({"ADD", "CMD", "COPY", "ENTRYPOINT", "RUN", "SHELL", "VOLUME"})
_SPLIT = frozenset({"ADD", "COPY", "EXPOSE", "FROM", "VOLUME"})
_NESTED = re.compile(r"ONBUILD(?=[\t\v\f\r ]|$)", re.IGNORECASE)
_PAIRS = frozenset({"ENV", "LABEL"})


@dataclass(frozen=True, slots=True)
class Parsed:
    """One instruction without its heredocs; `body` is what stands behind keyword and flags."""

    keyword: str
    body: SourceText
    flags: tuple[Flag, ...]
    words: tuple[Word, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    elements: tuple[SourceText, ...] = ()
    json: bool = False
    onbuild: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where the instruction stands, for errors."""

    path: str
    line: int

    def error(self, message: str, hint: str = "") -> DockerfileError:
        """The error that tells it."""
        return DockerfileError(message, path=self.path, line=self.line, hint=hint)


def instruction(joined: SourceText, escape: str, place: Place) -> Parsed:
    """Parse a joined line; raises DockerfileError for what BuildKit's parser refuses."""
    return _instruction(joined, stripped(joined.text, 0, len(joined.text)), escape, place)


def _instruction(joined: SourceText, span: Span, escape: str, place: Place) -> Parsed:
    text = joined.text
    start, end = span
    gap = SPACES.search(text, start, end)
    keyword = text[start : gap.start() if gap else end].upper()
    flags, rest = split_flags(text, gap.end() if gap else end, end)
    span = stripped(text, rest, end)
    if keyword == "ONBUILD" and span[0] < span[1]:
        return _trigger(joined, span, escape, place)
    body = joined.cut(*span)
    parsed_flags = tuple(_flag(joined, value, place) for value, place in flags)
    return _arguments(Parsed(keyword, body, parsed_flags), escape, place)


def _flag(joined: SourceText, text: str, span: Span) -> Flag:
    name, _, value = text.removeprefix("--").partition("=")
    return Flag(name, value, joined.word(*span))


def _trigger(joined: SourceText, span: Span, escape: str, place: Place) -> Parsed:
    if _NESTED.match(joined.text, *span):
        return Parsed("ONBUILD", joined.cut(*span), (), onbuild=True)
    inner = _instruction(joined, span, escape, place)
    return Parsed(
        inner.keyword, inner.body, inner.flags, inner.words, inner.assignments, inner.elements, inner.json, onbuild=True
    )


def _arguments(parsed: Parsed, escape: str, place: Place) -> Parsed:
    text = parsed.body.text
    whole = (0, len(text))
    keyword = parsed.keyword
    if not text or keyword not in KEYWORDS:
        return parsed
    if keyword == "ARG":
        spans = split_quoted(text, *whole, escape)
        return _with_assignments(parsed, [(span, _name_end(text, span)) for span in spans])
    if keyword in _PAIRS:
        return _pairs(parsed, escape, place)
    if keyword == "HEALTHCHECK":
        return _health_check(parsed, place)
    spans = split_spaces(text, *whole) if keyword in _SPLIT else [whole]
    return _maybe_json(parsed, whole, spans, place) if keyword in _JSON else _with_words(parsed, spans)


def _with_words(parsed: Parsed, spans: list[Span]) -> Parsed:
    words = tuple(parsed.body.word(*span) for span in spans)
    return Parsed(parsed.keyword, parsed.body, parsed.flags, words)


def _maybe_json(parsed: Parsed, span: Span, otherwise: list[Span], place: Place) -> Parsed:
    """The strings of a list in JSON, else the words of the shell form, each behind those that are there already."""
    try:
        strings = json_strings(parsed.body.text, *span)
    except NotStringsError as error:
        raise place.error(
            "a list in JSON may hold strings only", hint='write each argument in quotes: ["a", "b"]'
        ) from (error)
    if strings is None:
        words = tuple(parsed.body.word(*one) for one in otherwise)
        return Parsed(parsed.keyword, parsed.body, parsed.flags, (*parsed.words, *words))
    elements = tuple(unquoted(parsed.body, one) for one in strings)
    words = tuple(_element_word(parsed.body, one, element) for one, element in zip(strings, elements, strict=True))
    return Parsed(parsed.keyword, parsed.body, parsed.flags, (*parsed.words, *words), elements=elements, json=True)


def _element_word(body: SourceText, span: Span, element: SourceText) -> Word:
    word = body.word(*span)
    return Word(element.text, word.line, word.column, word.end_line, word.end_column)


def _health_check(parsed: Parsed, place: Place) -> Parsed:
    """`CMD` or `NONE`, and a command as in CMD; BuildKit looks for the space between them byte by byte."""
    text = parsed.body.text
    kind, rest = split_first(text)
    with_kind = Parsed(parsed.keyword, parsed.body, parsed.flags, (parsed.body.word(*kind),))
    if rest[0] == rest[1]:
        return with_kind
    return _maybe_json(with_kind, stripped(text, *rest), [rest], place)


def _name_end(text: str, span: Span) -> int:
    """Where the name of `NAME=value` ends; the end of the word where there is no `=`."""
    equals = text.find("=", *span)
    return span[1] if equals < 0 else equals


def _pairs(parsed: Parsed, escape: str, place: Place) -> Parsed:
    text = parsed.body.text
    spans = split_quoted(text, 0, len(text), escape)
    pairs = [(span, _name_end(text, span)) for span in spans]
    if not pairs:
        return parsed
    if pairs[0][1] == pairs[0][0][1]:
        return _old_pair(parsed, place)
    for span, end in pairs:
        if end == span[1]:
            raise place.error(
                f"no = in {shown(text[span[0] : span[1]])!r}",
                hint=f"{parsed.keyword} takes name=value; quote values with spaces",
            )
    return _with_assignments(parsed, pairs)


def _old_pair(parsed: Parsed, place: Place) -> Parsed:
    """`ENV NAME the rest of the line`."""
    text = parsed.body.text
    gap = SPACES.search(text)
    if gap is None:
        raise place.error(f"{parsed.keyword} must have two arguments", hint=f"write {parsed.keyword} NAME=value")
    name, value = parsed.body.word(0, gap.start()), parsed.body.word(gap.end(), len(text))
    pair = Assignment(name.text, name, value)
    return Parsed(parsed.keyword, parsed.body, parsed.flags, (name, value), (pair,))


def _with_assignments(parsed: Parsed, pairs: list[tuple[Span, int]]) -> Parsed:
    words = tuple(parsed.body.word(*span) for span, _ in pairs)
    assignments = tuple(_assignment(parsed.body, span, end) for span, end in pairs)
    return Parsed(parsed.keyword, parsed.body, parsed.flags, words, assignments)


def _assignment(body: SourceText, span: Span, end: int) -> Assignment:
    name = body.word(span[0], end)
    value = body.word(end + 1, span[1]) if end < span[1] else None
    return Assignment(name.text, name, value)
