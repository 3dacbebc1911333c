"""Shell patterns and the regular expressions of grep and sed, as Python's."""

from __future__ import annotations

import re
from functools import lru_cache

_LONGEST = 400
LONGEST_TEXT = 256
"""Characters of a text that patterns are tried on."""
_NEVER = re.compile(r"(?!)")
_RISKY = re.compile(r"[*+}]\)*[*+{]|\[\^?\[|\[[^\]]*(?:--|&&|~~|\|\|)")
"""Repetitions of repetitions, and sets that Python may read in another way some day."""


@lru_cache(maxsize=2048)
def glob(pattern: str) -> re.Pattern[str]:
    """A `case` pattern."""
    return _compiled("".join(_glob_pieces(pattern)))


def _glob_pieces(pattern: str) -> list[str]:
    pieces: list[str] = []
    at = 0
    while at < len(pattern):
        sign = pattern[at]
        closing = pattern.find("]", at + 2) if sign == "[" else -1
        if sign == "*":
            pieces.append(".*" if pieces[-1:] != [".*"] else "")
        elif sign == "?":
            pieces.append(".")
        elif closing > 0:
            inner = pattern[at + 1 : closing].replace("\\", "\\\\").replace("[", "\\[")
            pieces.append(f"[{'^' + inner[1:] if inner[0] in '!^' else inner}]")
            at = closing
        else:
            pieces.append(re.escape(sign))
        at += 1
    return pieces


@lru_cache(maxsize=2048)
def expression(pattern: str, *, extended: bool) -> re.Pattern[str]:
    """A regular expression of grep, sed or `=~`; one that nobody can be sure of matches nothing."""
    text = pattern if extended else _from_basic(pattern)
    text = re.sub(r"\[:(\w+):\]", lambda match: _CLASSES.get(match[1], ""), text)
    return _compiled(text)


_CLASSES = {"alnum": "A-Za-z0-9", "alpha": "A-Za-z", "digit": "0-9", "lower": "a-z", "upper": "A-Z", "space": r"\s"}


def _from_basic(pattern: str) -> str:
    """In a basic expression `\\(`, `\\|`, `\\+` are operators and the bare signs are not."""
    pieces, at = [], 0
    while at < len(pattern):
        sign = pattern[at]
        if sign == "\\" and at + 1 < len(pattern):
            at += 1
            following = pattern[at]
            pieces.append(following if following in "(){}|+?" else f"\\{following}")
        else:
            pieces.append(f"\\{sign}" if sign in "(){}|+?" else sign)
        at += 1
    return "".join(pieces)


def _compiled(text: str) -> re.Pattern[str]:
    """Never slow: patterns that could backtrack for long are taken as matching nothing."""
    if len(text) > _LONGEST or _RISKY.search(text) or text.count("*") + text.count("+") > 4:
        return _NEVER
    try:
        return re.compile(text, re.DOTALL)
    except (re.error, OverflowError, RecursionError):
        return _NEVER
