"""Words with quotes and variables, cut into parts without a grammar: patterns, Dockerfile values, broken text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from orchestrator.auditing.architectures import Name, is_for_other_system, names
from orchestrator.auditing.shell.syntax import Literal, Opaque, Part, Variable, Word

_PIECE = re.compile(
    r"""(?P<variable>\$(?:\{(?P<braced>\w+)(?P<operator>:?[-+=?]|[#%]{1,2}|//?|\^{1,2}|,{1,2})?(?P<argument>[^{}]*)\}|(?P<plain>\w+)))
    |(?P<single>'[^']*')|(?P<quote>")|(?P<output>\$\([^()]*\))""",
    re.VERBOSE,
)
_SPACES = re.compile(r"[^\s;|&<>()]+")


def parts_of(text: str, start: int) -> tuple[Part, ...]:
    """The parts of a text that begins at an offset; quotes are left out."""
    parts: list[Part] = []
    at, quote = 0, ""
    for match in _PIECE.finditer(text):
        _add(parts, text[at : match.start()], start + at, quote)
        at = match.end()
        if match["quote"]:
            quote = "" if quote else '"'
        elif match["single"] and quote:
            _add(parts, match[0], start + match.start(), quote)
        elif match["single"]:
            _add(parts, match[0][1:-1], start + match.start() + 1, "'")
        elif match["output"]:
            parts.append(Opaque(start + match.start(), start + match.end()))
        else:
            parts.append(_variable(match, start))
    _add(parts, text[at:], start + at, quote)
    return tuple(parts)


def _add(parts: list[Part], text: str, start: int, quote: str) -> None:
    if text:
        parts.append(Literal(text, start, quote))


def _variable(match: re.Match[str], start: int) -> Variable:
    name = match["braced"] or match["plain"]
    operator, argument = match["operator"] or "", match["argument"] or ""
    begin = match.start("argument") + start
    pieces = argument.split("/", 1) if operator.startswith("/") else [argument] if operator else []
    arguments = []
    for piece in pieces:
        arguments.append(word_of(piece, begin))
        begin += len(piece) + 1
    return Variable(name, start + match.start(), start + match.end(), operator, tuple(arguments))


def word_of(text: str, start: int) -> Word:
    """A text as one word."""
    return make_word(parts_of(text, start), start, start + len(text))


def make_word(parts: tuple[Part, ...], start: int, end: int) -> Word:
    """A word with the architectures that its literal parts name."""
    return Word(parts, start, end, tuple(_names(parts)))


def _names(parts: tuple[Part, ...]) -> Iterable[Name]:
    for part in parts:
        for name in names(part.text) if isinstance(part, Literal) else ():
            if isinstance(part, Literal) and not is_for_other_system(_around(part.text, name)):
                yield Name(name.text, name.family, name.start + part.start, name.end + part.start, name.weak)


def _around(text: str, name: Name) -> str:
    """The words beside a name: in a text of many words, the one that it stands in."""
    begin = max((text.rfind(sign, 0, name.start) for sign in " \t\n,;:="), default=-1) + 1
    ends = [end for sign in " \t\n,;" if (end := text.find(sign, name.end)) >= 0]
    return text[begin : min(ends, default=len(text))]


def _mended(first: Word, second: Word) -> Word | None:
    """One word of two that touch, the first of which ends with the `$` of a variable; None where they are no such."""
    if not first.parts or not second.parts:
        return None
    last, following = first.parts[-1], second.parts[0]
    if not isinstance(last, Literal) or not isinstance(following, Literal) or not last.text.endswith("$"):
        return None
    name = re.match(r"[A-Za-z_]\w*", following.text)
    if name is None or following.quote or last.quote:
        return None
    sign, end = following.start - 1, following.start + name.end()
    parts: list[Part] = list(first.parts[:-1])
    _add(parts, last.text[:-1], last.start, last.quote)
    parts.append(Variable(name[0], sign, end))
    _add(parts, following.text[name.end() :], end, following.quote)
    return make_word((*parts, *second.parts[1:]), first.start, second.end)


def append_word(words: list[Word], word: Word) -> None:
    """Add a word; the grammar cuts `a/$B/c-$B-d` at the second `$`, which is mended here."""
    if words and words[-1].end == word.start and (mended := _mended(words[-1], word)) is not None:
        words[-1] = mended
    else:
        words.append(word)


def loose_words(text: str, start: int) -> tuple[Word, ...]:
    """The words of a text that rules can care about: those that name an architecture, or may be options."""
    found = ((match[0], start + match.start()) for match in _SPACES.finditer(text))
    return tuple(word_of(word, at) for word, at in found if names(word) or "-" in word)
