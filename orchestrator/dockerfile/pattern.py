"""The patterns of `${V#p}`, `${V%p}` and `${V/p/r}`: `*` and `?`, matched in linear time."""

from __future__ import annotations

import re

_ESCAPABLE = "*?\\"


def _pieces(pattern: str) -> list[str]:
    """Regular expressions of what stands between the stars."""
    pieces = [""]
    index = 0
    while index < len(pattern):
        character = pattern[index]
        if character == "\\":
            index += 1
            character = pattern[index : index + 1]
            pieces[-1] += re.escape(character)
        elif character == "*":
            pieces.append("")
        else:
            pieces[-1] += "." if character == "?" else re.escape(character)
        index += 1
    return pieces


def _span(value: str, pieces: list[str], start: int, *, longest: bool) -> int:
    """Where a match that begins at `start` ends; -1 where there is none.

    The earliest place of each piece but the last is always right, so nothing is tried twice.
    """
    first = re.compile(pieces[0]).match(value, start)
    if first is None:
        return -1
    end = first.end()
    for number, piece in enumerate(pieces[1:], start=2):
        if longest and number == len(pieces):
            return _last_end(value, piece, end)
        found = re.compile(piece).search(value, end)
        if found is None:
            return -1
        end = found.end()
    return end


def _last_end(value: str, piece: str, start: int) -> int:
    found = re.compile(f"(?s:.*)({piece})").match(value, start)
    return found.end() if found else -1


def without_prefix(value: str, pattern: str, *, longest: bool) -> str:
    """`${V#pattern}` and `${V##pattern}`."""
    end = _span(value, _pieces(pattern), 0, longest=longest)
    return value if end < 0 else value[end:]


def without_suffix(value: str, pattern: str, *, longest: bool) -> str:
    """`${V%pattern}` and `${V%%pattern}`."""
    backwards = value[::-1]
    end = _span(backwards, _pieces(_reversed(pattern)), 0, longest=longest)
    return value if end < 0 else backwards[end:][::-1]


def _reversed(pattern: str) -> str:
    tokens = re.findall(r"\\.|.", pattern, re.DOTALL)
    return "".join(reversed(tokens))


def replaced(value: str, pattern: str, replacement: str, *, everywhere: bool) -> str:
    """`${V/pattern/replacement}` and `${V//pattern/replacement}`; right behind a match an empty one does not count."""
    pieces = _pieces(pattern)
    first = re.compile(pieces[0])
    result: list[str] = []
    at = copied = 0
    while found := first.search(value, at):
        begin, end = found.start(), _span(value, pieces, found.start(), longest=True)
        if end < 0:
            break
        if end > begin or begin > copied or not result:
            result += [value[copied:begin], replacement]
            copied = end
        at = max(end, begin + 1)
        if not everywhere or at > len(value):
            break
    return "".join(result) + value[copied:]
