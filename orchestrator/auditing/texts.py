"""Which shell texts the instructions of a Dockerfile hold, and in which language each of them is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from orchestrator.auditing.runs import Language, concatenated
from orchestrator.auditing.shell.commands import SHELLS
from orchestrator.dockerfile.instruction import Heredoc, Instruction
from orchestrator.dockerfile.source import SourceText

Text = tuple[SourceText, Language, tuple[SourceText, ...]]
STARTS = frozenset({"CMD", "ENTRYPOINT", "HEALTHCHECK"})
"""Instructions that run when a container starts, not while an image is built."""
_SHEBANG = re.compile(r"#!\s*(?P<program>\S+)(?:\s+(?P<argument>\S+))?")
_WITH_COMMAND = re.compile(r"-[a-z]*c", re.IGNORECASE)


def shell_texts(instruction: Instruction, language: Language) -> Iterator[Text]:
    """The texts of one instruction; `language` is what the SHELL above it says."""
    match instruction.keyword:
        case "RUN":
            yield from _run(instruction, language)
        case "CMD" | "ENTRYPOINT":
            yield _plain(instruction, language)
        case "HEALTHCHECK" if instruction.words and instruction.words[0].text.upper() == "CMD":
            yield _health_check(instruction, language)
        case "COPY" | "ADD":
            for heredoc in instruction.heredocs:
                yield _file(heredoc)
        case _:
            pass


def language_of_shell(instruction: Instruction) -> Language:
    """What a SHELL instruction makes of the RUN lines below it."""
    program = instruction.words[0].text if instruction.words else ""
    return language_of_program(program)


def language_of_program(program: str) -> Language:
    """A shell of the POSIX family, or something that is only looked at word by word."""
    name = re.split(r"[\\/]", program)[-1].removesuffix(".exe")
    return Language.SHELL if name in SHELLS or name == "busybox" else Language.WORDS


def language_of_script(text: str) -> Language:
    """What the first line of a script says; a shell where it says nothing."""
    match = _SHEBANG.match(text)
    if match is None:
        return Language.SHELL
    program = match["program"]
    if program.endswith("/env"):
        program = match["argument"] or "sh"
    return language_of_program(program)


def _run(instruction: Instruction, language: Language) -> Iterator[Text]:
    heredocs = instruction.heredocs
    if instruction.json or not heredocs:
        yield _plain(instruction, language)
    elif len(heredocs) == 1 and re.fullmatch(r"\d*<<-?\s*\S+", instruction.body.text):
        body = heredocs[0].body
        chosen = language_of_script(body.text) if body.text.startswith("#!") else language
        yield body, chosen, ()
    else:
        pieces = [instruction.body, *(piece for heredoc in heredocs for piece in (heredoc.body, _ending(heredoc)))]
        yield concatenated(pieces, "\n"), language, ()


def _ending(heredoc: Heredoc) -> SourceText:
    line = heredoc.line + heredoc.body.text.count("\n")
    return SourceText(heredoc.name, (0,), ((line, 1),))


def _plain(instruction: Instruction, language: Language) -> Text:
    if not instruction.json:
        return instruction.body, language, ()
    return _exec(instruction.elements)


def _exec(elements: tuple[SourceText, ...]) -> Text:
    if len(elements) > 2 and language_of_program(elements[0].text) is Language.SHELL:
        for option, text in pairwise(elements[1:]):
            if _WITH_COMMAND.fullmatch(option.text):
                return text, Language.SHELL, ()
    return concatenated(elements, " "), Language.EXEC, elements


def _health_check(instruction: Instruction, language: Language) -> Text:
    if instruction.json:
        return _exec(instruction.elements)
    text = instruction.body.text
    start = len(text) - len(text[3:].lstrip())
    return instruction.body.cut(start, len(text)), language, ()


def _file(heredoc: Heredoc) -> Text:
    if heredoc.body.text.startswith("#!"):
        return heredoc.body, language_of_script(heredoc.body.text), ()
    return heredoc.body, Language.FILE, ()
