"""How BuildKit splits what stands behind a keyword: flags, words, quoted words, and lists in JSON."""

from __future__ import annotations

import json
import re

from orchestrator.dockerfile.source import WHITESPACE, SourceText, concatenated

FLAG_SPACES = "\t\n\v\f\r "
"""BuildKit splits flags byte by byte, so that other spaces than these stay in them."""
SPACES = re.compile(r"[\t\v\f\r ]+")
_JSON_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_JSON_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{4}|\\.")
_JSON_SPACE = " \t\r\n"
_SURROGATE = re.compile("[\ud800-\udfff]")
Span = tuple[int, int]


class NotStringsError(Exception):
    """A JSON list that holds something else than strings, which BuildKit refuses."""


def stripped(text: str, start: int, end: int) -> Span:
    """The span without the spaces at both ends."""
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip(WHITESPACE))
    kept = piece.strip(WHITESPACE)
    return (start + left, start + left + len(kept)) if kept else (end, end)


def split_flags(text: str, start: int, end: int) -> tuple[list[tuple[str, Span]], int]:
    """The `--flags` at the beginning with quotes removed, and where the rest begins. A lone `--` ends them."""
    flags: list[tuple[str, Span]] = []
    at = start
    while True:
        while at < end and text[at] in FLAG_SPACES:
            at += 1
        if not text.startswith("--", at, end):
            return flags, at
        begin = at
        value, at = _flag(text, at, end)
        if value == "--":
            return flags, at
        flags.append((value, (begin, at)))


def _flag(text: str, at: int, end: int) -> tuple[str, int]:
    value: list[str] = []
    quote = ""
    while at < end:
        character = text[at]
        if not quote and character in FLAG_SPACES:
            break
        if character == quote:
            quote = ""
        elif not quote and character in "'\"":
            quote = character
        elif character == "\\":
            at += 1
            value.append(text[at : min(at + 1, end)])
        else:
            value.append(character)
        at += 1
    return "".join(value), min(at, end)


def split_first(text: str) -> tuple[Span, Span]:
    """The first word and the rest."""
    at = 0
    while at < len(text) and text[at] not in FLAG_SPACES:
        at += 1
    rest = len(text) - len(text[at:].lstrip(FLAG_SPACES))
    return (0, at), (rest, len(text))


def split_spaces(text: str, start: int, end: int) -> list[Span]:
    """Words between spaces and tabs, without regard to quotes."""
    spans: list[Span] = []
    at = start
    for gap in SPACES.finditer(text, start, end):
        spans.append((at, gap.start()))
        at = gap.end()
    if start < end:
        spans.append((at, end))
    return spans


def split_quoted(text: str, start: int, end: int, escape: str) -> list[Span]:
    """Words between spaces that are neither quoted nor escaped; quotes and escapes stay in the words.

    An escape with nothing behind it belongs to no word.
    """
    spans: list[Span] = []
    at = start
    while at < end:
        if text[at] in WHITESPACE:
            at += 1
            continue
        begin = at
        word_end, at = _quoted_word(text, at, end, escape)
        if begin < word_end:
            spans.append((begin, word_end))
    return spans


def _quoted_word(text: str, at: int, end: int, escape: str) -> Span:
    """Where the word ends, and where to look for the next one."""
    quote = ""
    while at < end:
        character = text[at]
        if not quote and character in WHITESPACE:
            break
        if character == quote:
            quote = ""
        elif not quote and character in "'\"":
            quote = character
        elif character == escape and quote != "'":
            if at + 1 == end:
                return at, end
            at += 1
        at += 1
    return at, at


def json_strings(text: str, start: int, end: int) -> list[Span] | None:
    """The spans of the strings (quotes included) of a JSON list; None where it is none, so that shell form applies.

    Raises NotStringsError for a list of anything else.
    """
    if not text.startswith("[", start):
        return None
    spans = _string_list(text, start + 1, end)
    if spans is None and _is_list(text[start:end]):
        raise NotStringsError
    return spans


def _string_list(text: str, at: int, end: int) -> list[Span] | None:
    spans: list[Span] = []
    at = _skip(text, at, end)
    if text.startswith("]", at) and _skip(text, at + 1, end) == end:
        return spans
    while found := _JSON_STRING.match(text, at, end):
        spans.append(found.span())
        at = _skip(text, found.end(), end)
        if text.startswith("]", at):
            return spans if _skip(text, at + 1, end) == end else None
        if not text.startswith(",", at):
            return None
        at = _skip(text, at + 1, end)
    return None


def _skip(text: str, at: int, end: int) -> int:
    while at < end and text[at] in _JSON_SPACE:
        at += 1
    return at


def _refuse(name: str) -> None:
    raise ValueError(name)


def _is_list(text: str) -> bool:
    try:
        return isinstance(json.loads(text, parse_constant=_refuse, parse_int=str, parse_float=str), list)
    except (ValueError, RecursionError):
        return False


def unquoted(body: SourceText, span: Span) -> SourceText:
    """The value of a JSON string, with the place of every character."""
    at, end = span[0] + 1, span[1] - 1
    if body.text.find("\\", at, end) < 0:
        return body.cut(at, end)
    pieces: list[SourceText] = []
    for escape in _JSON_ESCAPE.finditer(body.text, at, end):
        pieces.append(body.cut(at, escape.start()))
        pieces.append(SourceText(_escaped(escape[0]), (0,), (body.position(escape.start()),)))
        at = escape.end()
    return concatenated([*pieces, body.cut(at, end)])


def _escaped(escape: str) -> str:
    character: str = json.loads(f'"{escape}"')
    return _SURROGATE.sub("�", character)
