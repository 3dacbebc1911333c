"""Where an instruction opens heredocs, and what their names say."""

from __future__ import annotations

import re
from dataclasses import dataclass

from orchestrator.dockerfile.lexer import ExpansionError, Lexer

_PLAIN = re.compile(r"\d*<<(-?)(\w+)")
_OPENING = re.compile(r"(\d*)<<(-?)\s*([^<]*)")


@dataclass(frozen=True, slots=True)
class Opening:
    """A `<<NAME` of an instruction."""

    name: str
    strip_tabs: bool
    expand: bool


def openings(line: str) -> tuple[Opening, ...]:
    """The heredocs that a joined line opens, in order; the escape of heredocs is always the backslash.

    A line whose quotes or braces do not close opens none, which is what BuildKit does. Raises ExpansionError where the
    name of a heredoc is such.
    """
    try:
        _, words = Lexer(line, _unset, keep_quotes=True, keep_escapes=True, keep_unset=True).run()
    except ExpansionError:
        return ()
    found = (opening(word) for word in words if "<<" in word)
    return tuple(one for one in found if one is not None)


def opening(word: str) -> Opening | None:
    """What a word opens; None for words that open nothing, such as the here-string `<<<`."""
    plain = _PLAIN.fullmatch(word)
    if plain:
        return Opening(plain[2], bool(plain[1]), expand=True)
    match = _OPENING.fullmatch(word)
    if match is None or not match[3]:
        return None
    _, words = Lexer(match[3], _unset, keep_unset=True).run()
    if len(words) != 1:
        return None
    _, quoted = Lexer(match[3], _unset, keep_quotes=True, keep_unset=True).run()
    expand = _quotes(words[0]) == _quotes("".join(quoted))
    return Opening(words[0], bool(match[2]), expand)


def _unset(_: str) -> None:
    return None


def _quotes(text: str) -> int:
    return text.count("'") + text.count('"')
