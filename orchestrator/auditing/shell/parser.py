"""The door to tree-sitter: one parser for the whole process, loaded when the first shell text is read."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Parser, Tree

_TIGHT_ARM = re.compile(r"(?:;;|;&|\bin|\n)\s*\(?[\w*?./|\"'\[\]! -]{1,80}\)(?=[^\s;)])")
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
    """The bytes for the grammar, and for each byte the offset of its character (empty where both are the same).

    The grammar does not take `*)exit` and its like, so a space is put behind such a bracket.
    """
    ends = {match.end() for match in _TIGHT_ARM.finditer(text)} if "esac" in text else set()
    if text.isascii() and not ends:
        return text.encode(), ()
    pieces: list[bytes] = []
    offsets: list[int] = []
    for index, character in enumerate(text):
        piece = character.encode("utf-8", "replace")
        piece = b" " + piece if index in ends else piece
        pieces.append(piece)
        offsets += [base + index] * len(piece)
    return b"".join(pieces), (*offsets, base + len(text))
