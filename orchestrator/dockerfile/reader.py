"""The lines of a Dockerfile become instructions: continuations are joined, comments set aside, heredocs collected."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from orchestrator.core.errors import DockerfileError
from orchestrator.dockerfile.heredocs import openings
from orchestrator.dockerfile.instruction import Directive, Heredoc, Instruction
from orchestrator.dockerfile.lexer import ExpansionError
from orchestrator.dockerfile.source import WHITESPACE, SourceText, Word, lines_of, shown
from orchestrator.dockerfile.syntax import Place, instruction

LONGEST_LINE = 65_536
"""Bytes of a line with its end that BuildKit's scanner takes."""
_DIRECTIVE = re.compile(r"([a-zA-Z][a-zA-Z0-9]*)[\t\n\f\r ]*=[\t\n\f\r ]*(.+?)[\t\n\f\r ]*")
_DIRECTIVES = frozenset({"check", "escape", "syntax"})
_HEREDOC_KEYWORDS = frozenset({"ADD", "COPY", "RUN"})
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Scanned:
    """The instructions of a file before they are sorted into stages; `parts` joined are the file."""

    escape: str
    directives: tuple[Directive, ...]
    comments: tuple[Word, ...]
    instructions: tuple[Instruction, ...]
    parts: tuple[str, ...]


@dataclass(slots=True)
class _Reader:
    path: str
    lines: list[str]
    at: int = 0
    escape: str = "\\"
    looking_for_directives: bool = True
    directives: list[Directive] = field(default_factory=list)
    comments: list[Word] = field(default_factory=list)
    instructions: list[Instruction] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    def run(self) -> None:
        begin = 0
        while self.at < len(self.lines):
            first = self.at
            line = self._strip_first()
            if not line.text:
                continue
            if first > begin:
                self.parts.append("".join(self.lines[begin:first]))
            self._instruction(first, line)
            self.parts.append(self.instructions[-1].raw)
            begin = self.at
        if begin < len(self.lines):
            self.parts.append("".join(self.lines[begin:]))

    def error(self, message: str, line: int, hint: str = "") -> DockerfileError:
        return DockerfileError(message, path=self.path, line=line, hint=hint)

    def _take(self) -> str:
        """The next line without its end."""
        line = self.lines[self.at]
        if len(line) * 4 > LONGEST_LINE:
            self._check_length(line)
        self.at += 1
        return line.rstrip("\r\n")

    def _check_length(self, line: str) -> None:
        size = len(line.encode("utf-8", "surrogateescape")) + (not line.endswith("\n"))
        if size > LONGEST_LINE:
            raise self.error(f"the line is longer than the {LONGEST_LINE - 1} bytes that BuildKit takes", self.at + 1)

    def _strip_first(self) -> SourceText:
        """The first line of an instruction with the spaces before it removed; empty for comments and blank lines."""
        number = self.at + 1
        line = self._take()
        if number == 1:
            line = line.removeprefix(_BOM)
        kept = line.lstrip(WHITESPACE)
        column = len(self.lines[number - 1].rstrip("\r\n")) - len(kept) + 1
        if kept.startswith("#"):
            self._comment(kept, number, column)
            return SourceText("", (0,), ((number, column),))
        self.looking_for_directives = False
        return SourceText(kept, (0,), ((number, column),))

    def _comment(self, text: str, number: int, column: int) -> None:
        self.comments.append(Word(text, number, column, number, column + len(text)))
        if self.looking_for_directives:
            self._directive(text, number)

    def _directive(self, text: str, number: int) -> None:
        match = _DIRECTIVE.fullmatch(text[1:].lstrip(WHITESPACE))
        name = match[1].lower() if match else ""
        if match is None or name not in _DIRECTIVES:
            self.looking_for_directives = False
            return
        if any(directive.name == name for directive in self.directives):
            raise self.error(f"only one {name} parser directive can be used", number)
        if name == "escape":
            if match[2] not in {"`", "\\"}:
                raise self.error(f"invalid escape character {shown(match[2])!r}", number, hint="it is ` or \\")
            self.escape = match[2]
        self.directives.append(Directive(name, match[2], number))

    def _instruction(self, first: int, line: SourceText) -> None:
        joined = self._joined(line)
        parsed = instruction(joined, self.escape, Place(self.path, first + 1))
        heredocs: tuple[Heredoc, ...] = ()
        if parsed.keyword in _HEREDOC_KEYWORDS and not parsed.json and "<<" in joined.text:
            heredocs = self._heredocs(joined.text)
        self.instructions.append(
            Instruction(
                keyword=parsed.keyword,
                line=first + 1,
                end_line=self.at,
                raw="".join(self.lines[first : self.at]),
                body=parsed.body,
                flags=parsed.flags,
                words=parsed.words,
                assignments=parsed.assignments,
                heredocs=heredocs,
                elements=parsed.elements,
                json=parsed.json,
                onbuild=parsed.onbuild,
            )
        )

    def _joined(self, line: SourceText) -> SourceText:
        """The line and those that continue it, without escape characters, line ends, comments and blank lines."""
        text, goes_on = self._continues(line.text)
        if not goes_on:
            return line
        pieces, starts, places = [text], [0], [line.places[0]]
        length = len(text)
        while goes_on and self.at < len(self.lines):
            number = self.at + 1
            following = self._take()
            kept = following.lstrip(WHITESPACE)
            if kept.startswith("#"):
                self._comment(kept, number, len(following) - len(kept) + 1)
            elif kept:
                text, goes_on = self._continues(following)
                starts.append(length)
                places.append((number, 1))
                pieces.append(text)
                length += len(text)
        return SourceText("".join(pieces), tuple(starts), tuple(places))

    def _continues(self, text: str) -> tuple[str, bool]:
        """The text without its escape character at the end, and whether there was one; a doubled one is none."""
        kept = text.rstrip(" \t")
        if kept.endswith(self.escape) and not kept.endswith(2 * self.escape):
            return kept[:-1], True
        return text, False

    def _heredocs(self, line: str) -> tuple[Heredoc, ...]:
        number = self.at
        try:
            found = openings(line)
        except ExpansionError as error:
            raise self.error(f"the name of a heredoc: {error}", number) from error
        return tuple(self._heredoc(one.name, one.strip_tabs, one.expand) for one in found)

    def _heredoc(self, name: str, strip_tabs: bool, expand: bool) -> Heredoc:
        begin = self.at
        while self.at < len(self.lines):
            line = self._take()
            if name == (line.lstrip("\t") if strip_tabs else line):
                body = lines_of(self.lines[begin : self.at - 1], begin + 1)
                return Heredoc(name, body, begin + 1, strip_tabs, expand)
        raise self.error(
            f"the heredoc {shown(name)} has no end", begin, hint=f"a line {shown(name)} with nothing else ends it"
        )


def scan(text: str, path: str) -> Scanned:
    """Split a text into instructions; raises DockerfileError for what BuildKit's parser refuses."""
    lines = text.split("\n")
    lines = [*(f"{line}\n" for line in lines[:-1]), *([lines[-1]] if lines[-1] else [])]
    reader = _Reader(path, lines)
    reader.run()
    if not reader.instructions:
        raise reader.error("the file has no instructions", 1)
    return Scanned(
        reader.escape,
        tuple(reader.directives),
        tuple(reader.comments),
        tuple(reader.instructions),
        tuple(reader.parts),
    )
