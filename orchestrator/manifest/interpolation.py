"""`${VARIABLE}` in texts, by the rules of compose. Values never come back in an error: they may be secret."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

Lookup = Callable[[str], str | None]
LONGEST = 1 << 20
"""Letters that one text may grow to."""
_DEEPEST = 16
_MOST_GAPS = 20
_DOLLAR = re.compile(r"\$(?:(?P<escaped>\$)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<open>\{)|)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BRACE = re.compile(r"\$\{|\}")
_OPERATOR = re.compile(r":?[-?+]")


@dataclass(frozen=True, slots=True)
class Gap:
    """A variable that has no value, or a `$` that begins none; `offset` counts the letters before it.

    `variable` is empty where no variable is named; `message` is what the manifest itself says, or what is wrong.
    """

    offset: int
    variable: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Expansion:
    """A text with its variables filled in; where there are gaps the text is of no use."""

    text: str
    gaps: tuple[Gap, ...] = ()


def expand(text: str, lookup: Lookup) -> Expansion:
    """Fill in `$VAR`, `${VAR}`, `${VAR:-default}`, `${VAR:?message}`, `${VAR:+other}` (`:` means "or empty") and `$$`.

    `lookup` gives None for a variable that is not set.
    """
    if "$" not in text:
        return Expansion(text)
    expander = _Expander(lookup)
    result = expander.text(text, 0, 0)
    return Expansion(result, tuple(expander.gaps))


@dataclass(slots=True)
class _Expander:
    lookup: Lookup
    gaps: list[Gap] = field(default_factory=list)
    length: int = 0

    def text(self, text: str, start: int, depth: int) -> str:
        """The expansion of a text whose first letter has `start` letters before it."""
        parts: list[str] = []
        position = 0
        while len(self.gaps) < _MOST_GAPS and (match := _DOLLAR.search(text, position)):
            parts.append(text[position : match.start()])
            position, value = self._one(text, match, start, depth)
            self.length += len(value)
            if self.length > LONGEST:
                self.gaps.append(Gap(start, message=f"its variables make this longer than {LONGEST:,} letters"))
                return ""
            parts.append(value)
        return "".join((*parts, text[position:]))

    def _one(self, text: str, match: re.Match[str], start: int, depth: int) -> tuple[int, str]:
        offset = start + match.start()
        if match["escaped"]:
            return match.end(), "$"
        if match["name"]:
            return match.end(), self._value(match["name"], offset)
        end = _closing(text, match.end()) if match["open"] else -1
        if end < 0 or depth > _DEEPEST:
            message = (
                "this `${` is not closed" if match["open"] else "this `$` begins no variable; write $$ for a dollar"
            )
            self.gaps.append(Gap(offset, message=message))
            return len(text), ""
        return end + 1, self._braced(text[match.end() : end], offset, depth)

    def _value(self, name: str, offset: int) -> str:
        value = self.lookup(name)
        if value is None:
            self.gaps.append(Gap(offset, name))
        return value or ""

    def _braced(self, body: str, offset: int, depth: int) -> str:
        name = _NAME.match(body)
        rest = body[name.end() :] if name else ""
        operator = _OPERATOR.match(rest)
        if name is None or (rest and operator is None):
            self.gaps.append(
                Gap(offset, message="this is no variable; write ${NAME}, ${NAME:-default} or $$ for a dollar")
            )
            return ""
        if operator is None:
            return self._value(name[0], offset)
        word = rest[operator.end() :]
        word_offset = offset + 2 + name.end() + operator.end()
        return self._chosen(name[0], operator[0], (word, word_offset), (offset, depth))

    def _chosen(self, name: str, operator: str, word: tuple[str, int], at: tuple[int, int]) -> str:
        value = self.lookup(name)
        offset, depth = at
        given = bool(value) if operator.startswith(":") else value is not None
        match operator[-1]:
            case "+":
                return self.text(*word, depth + 1) if given else ""
            case "-":
                return value or "" if given else self.text(*word, depth + 1)
            case _:
                if not given:
                    self.gaps.append(Gap(offset, name, word[0] or "it is needed"))
                return value or ""


def _closing(text: str, start: int) -> int:
    """The `}` that ends a variable, those of variables inside it skipped; -1 where there is none."""
    depth = 1
    for match in _BRACE.finditer(text, start):
        depth += 1 if match[0] == "${" else -1
        if depth == 0:
            return match.start()
    return -1
