"""What a Dockerfile consists of: directives, instructions, their flags, words and heredocs."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.dockerfile.source import SourceText, Word

KEYWORDS = frozenset(
    {
        "ADD", "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL", "MAINTAINER",
        "ONBUILD", "RUN", "SHELL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Directive:
    """A parser directive: `# escape=`, `# syntax=` or `# check=`; its name in lower case."""

    name: str
    value: str
    line: int


@dataclass(frozen=True, slots=True)
class Flag:
    """`--name=value` behind a keyword, quotes removed; `word` is the whole flag as it is written."""

    name: str
    value: str
    word: Word


@dataclass(frozen=True, slots=True)
class Heredoc:
    """`<<NAME` and the lines up to NAME; `line` is the first line of the body, tabs are still in it.

    `expand` tells whether variables in it are expanded (the name has no quotes); a RUN leaves that to its shell.
    """

    name: str
    body: SourceText
    line: int
    strip_tabs: bool
    expand: bool


@dataclass(frozen=True, slots=True)
class Assignment:
    """`NAME=value` of ARG, ENV or LABEL; `value` is as written, None for an ARG without a default."""

    name: str
    name_word: Word
    value: Word | None


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction; behind ONBUILD it is the triggered one, with `onbuild` set.

    `words` are as BuildKit's parser splits them: for RUN, CMD, ENTRYPOINT and SHELL in shell form one word, in JSON
    form the strings of the list (`elements` has the same strings with a place for every character). `body` is
    everything behind keyword and flags, joined as the shell gets it. `raw` is its lines, byte for byte.
    """

    keyword: str
    line: int
    end_line: int
    raw: str
    body: SourceText
    flags: tuple[Flag, ...] = ()
    words: tuple[Word, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    heredocs: tuple[Heredoc, ...] = ()
    elements: tuple[SourceText, ...] = ()
    json: bool = False
    onbuild: bool = False

    def flag(self, name: str) -> Flag | None:
        """The last flag of that name, which is the one that counts."""
        return next((flag for flag in reversed(self.flags) if flag.name == name), None)
