"""The shell texts of a file: bodies of RUN, heredocs, exec forms and scripts, parsed and followed on first use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from orchestrator.auditing.shell.convert import script
from orchestrator.auditing.shell.evaluate import Evaluator
from orchestrator.auditing.shell.machine import machine
from orchestrator.auditing.shell.state import Trace
from orchestrator.auditing.shell.syntax import Block, Broken, Command, Literal, Redirect, Word
from orchestrator.auditing.shell.words import loose_words, make_word
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.instruction import Instruction
from orchestrator.dockerfile.source import SourceText

if TYPE_CHECKING:
    from orchestrator.auditing.call import Call

Outside = Callable[[str], str | None]


_DECIDES = re.compile(r"[$`\[|(]|\b(?:if|case|for|while|until|test|uname|arch|dpkg|apk|rpm|node|python3?|go|expr)\b")
"""What a text has to hold for its way, or its words, to differ between platforms."""


class Language(StrEnum):
    """What a text is written in: `words` for programs in other languages, `file` for text that is only stored."""

    SHELL = "shell"
    EXEC = "exec"
    WORDS = "words"
    FILE = "file"


@dataclass(slots=True, eq=False)
class Run:
    """One text. `path` is empty for the Dockerfile itself; `stage` is -1 for a script that is audited by itself.

    `outside` gives for each platform that reaches it the variables that were set before.
    """

    source: SourceText
    language: Language
    outside: Mapping[Platform, Outside]
    instruction: Instruction | None = None
    stage: int = -1
    path: str = ""
    arguments: tuple[SourceText, ...] = ()
    is_start: bool = False
    calls: tuple[Call, ...] = ()
    inner: dict[int, Block] = field(default_factory=dict)
    _block: Block | None = None
    _traces: dict[Platform, Trace] | None = None

    @property
    def block(self) -> Block:
        """Its commands."""
        if self._block is None:
            self._block = self._parsed()
        return self._block

    @property
    def traces(self) -> Mapping[Platform, Trace]:
        """What happens in it on each platform."""
        if self._traces is None:
            self._traces = self._followed_everywhere()
        return self._traces

    def _parsed(self) -> Block:
        match self.language:
            case Language.SHELL:
                return script(self.source.text)
            case Language.EXEC:
                return (_exec_form(self.arguments),)
            case Language.WORDS:
                return (Broken(loose_words(self.source.text, 0)),)
            case Language.FILE:
                text = self.source.text
                body = make_word((Literal(text, 0, "'"),), 0, len(text))
                return (Command((), (), (Redirect("<<", body, is_quoted=True),), 0, len(text)),)

    def _followed_everywhere(self) -> dict[Platform, Trace]:
        platforms = tuple(self.outside)
        if platforms and not _DECIDES.search(self.source.text):
            return dict.fromkeys(platforms, self._followed(platforms[0]))
        return {platform: self._followed(platform) for platform in platforms}

    def _followed(self, platform: Platform) -> Trace:
        evaluator = Evaluator(self.source.text, machine(platform), self.outside[platform], self.inner)
        evaluator.run(self.block)
        evaluator.run_uncalled()
        return evaluator.trace


def _exec_form(arguments: tuple[SourceText, ...]) -> Command:
    words: list[Word] = []
    at = 0
    for argument in arguments:
        end = at + len(argument.text)
        words.append(make_word((Literal(argument.text, at, "'"),), at, end))
        at = end + 1
    return Command(tuple(words), (), (), 0, max(at - 1, 0))


def concatenated(pieces: Iterable[SourceText], separator: str) -> SourceText:
    """Texts one behind the other, each character keeping its place."""
    texts: list[str] = []
    starts: list[int] = []
    places: list[tuple[int, int]] = []
    length = 0
    for piece in pieces:
        starts += [length + start for start in piece.starts]
        places += piece.places
        texts.append(piece.text)
        length += len(piece.text) + len(separator)
    return SourceText(separator.join(texts), tuple(starts) or (0,), tuple(places) or ((1, 1),))


def placed(text: str, line: int = 1) -> SourceText:
    """A whole file as a text with places."""
    starts, places, offset = [0], [(line, 1)], 0
    for number, one in enumerate(text.split("\n")[:-1], line):
        offset += len(one) + 1
        starts.append(offset)
        places.append((number + 1, 1))
    return SourceText(text, tuple(starts), tuple(places))
