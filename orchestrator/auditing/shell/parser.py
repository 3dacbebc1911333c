"""The door to tree-sitter: one parser for the whole process, loaded when the first shell text is read."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Parser, Tree

_TIGHT_ARM = re.compile(r"(?:;;|;&|\bin|\n)\s*\(?[\w*?./|\"'\[\]! -]{1,80}\)(?=[^\s;)])")
_NOT_ASCII = re.compile(r"[^\x01-\x7f]")
LARGEST = 4 * 1024 * 1024
"""Characters of the largest shell text that is parsed; a longer one is only looked at word by word."""


@lru_cache(maxsize=1)
def _parser() -> Parser:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def parsed(content: bytes) -> Tree:
    """The syntax tree; never fails, what the grammar does not take is in ERROR nodes."""
    return _parser().parse(content)


def encoded(text: str, base: int) -> tuple[bytes, tuple[int, ...]]:
    """The bytes for the grammar, and for each byte the offset of its character (empty where they are one to one).

    Characters beyond ASCII become letters: a shell takes them so, and the grammar's scanner (tree-sitter-bash 0.25.1)
    hands code points to `isdigit`, which reads outside of its table and may crash. The grammar does not take `*)exit`
    and its like either, so a space is put behind such a bracket.
    """
    content = text.encode() if text.isascii() and "\0" not in text else _NOT_ASCII.sub("x", text).encode()
    ends = sorted({match.end() for match in _TIGHT_ARM.finditer(text)}) if "esac" in text else []
    if not ends:
        return content, ()
    pieces: list[bytes] = []
    offsets: list[int] = []
    at = 0
    for end in ends:
        pieces += [content[at:end], b" "]
        offsets += [*range(base + at, base + end), base + end]
        at = end
    return b"".join([*pieces, content[at:]]), (*offsets, *range(base + at, base + len(text) + 1))
