"""How redirects and heredocs are read from tree-sitter's tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from orchestrator.auditing.shell.parts import EMPTY, WordReader
from orchestrator.auditing.shell.syntax import Literal, Redirect, Word
from orchestrator.auditing.shell.words import make_word

if TYPE_CHECKING:
    from tree_sitter import Node as Raw

_WORDS = frozenset({"word", "string", "raw_string", "number", "concatenation", "simple_expansion", "expansion"})


class RedirectReader(WordReader):
    """Redirects of one text."""

    def redirect(self, raw: Raw, depth: int) -> Iterator[Redirect]:
        """The redirects of a node: a heredoc may have a file behind it."""
        operator = next((child.type for child in raw.children if not child.is_named), "")
        if raw.type != "heredoc_redirect":
            targets = raw.children_by_field_name("destination") or raw.named_children[-1:]
            yield Redirect(operator, self.word(targets[0], depth) if targets else EMPTY)
            return
        opening = next((self.source(child) for child in raw.children if child.type == "heredoc_start"), "")
        quoted = opening[:1] in {"'", '"', "\\"}
        for child in raw.children:
            if child.type == "heredoc_body":
                yield Redirect(operator, self.heredoc(child, depth, quoted), quoted)
            elif child.type == "file_redirect":
                yield from self.redirect(child, depth)

    def behind_target(self, raw: Raw, depth: int) -> Iterator[Word]:
        """Words of the command behind a redirect: the grammar takes them for more targets."""
        if raw.type == "file_redirect":
            yield from (self.word(one, depth) for one in raw.children_by_field_name("destination")[1:])
        elif raw.type == "heredoc_redirect":
            for child in raw.children:
                if child.type in _WORDS:
                    yield self.word(child, depth)
                elif child.type == "file_redirect":
                    yield from self.behind_target(child, depth)

    def heredoc(self, raw: Raw, depth: int, quoted: bool) -> Word:
        """The body: one literal where the name is quoted, else with its expansions."""
        start, end = self.span(raw)
        if quoted:
            return make_word((Literal(self.text[start:end], start, "'"),), start, end)
        return make_word(tuple(self.filled(raw, start, end, '"', depth)), start, end)
