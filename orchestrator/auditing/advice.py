"""Sentences and fixes that several rules share."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from orchestrator.auditing.architectures import AMD64, Name
from orchestrator.auditing.context import Context
from orchestrator.auditing.edits import line_end
from orchestrator.auditing.mention import Mention, Role
from orchestrator.auditing.rule import Problem
from orchestrator.auditing.runs import Language
from orchestrator.auditing.staging import Side
from orchestrator.core.finding import Edit, Fix
from orchestrator.dockerfile.instruction import Instruction

_SUMS = re.compile(r"sha\d+sum|md5sum|shasum|--checksum|b2sum|gpg --verify|gpgv|minisign", re.IGNORECASE)
TARGET_ARCHITECTURE = "${TARGETARCH}"
MACHINE_NAME = "$(uname -m)"
DEBIAN_NAME = "$(dpkg --print-architecture)"


def wrong_platforms(mention: Mention) -> str:
    """The platforms for which the word is wrong, for a sentence."""
    return " and ".join(str(platform) for platform in mention.wrong_on)


def problem(mention: Mention, message: str, *, fix: Fix | None = None, follows: bool = False) -> Problem:
    """A problem at the name in a word."""
    return Problem(
        mention.word,
        message,
        path=mention.path,
        confidence=mention.confidence,
        fix=fix,
        artifact=f"{mention.value}\n{mention.text}" if mention.text != mention.value else mention.value,
        follows=follows,
    )


def replacing(
    context: Context, mention: Mention, text_for: Callable[[Name], str], title: str, *, safe: bool
) -> Fix | None:
    """A fix that puts something else in the place of every wrong name; None where that cannot be written there.

    Texts with `${TARGETARCH}` get their ARG in the stage.
    """
    instruction = mention.instruction
    if instruction is None or mention.path or not _can_change(context, mention):
        return None
    edits: list[Edit] = []
    for name in mention.names:
        text = text_for(name)
        if name.family != AMD64 or not text:
            return None
        written = _quoted(mention, name, text)
        word = mention.source.word(name.start, name.end)
        edits.append(Edit(word.line, word.column, word.end_line, word.end_column, written))
    if any("TARGETARCH" in edit.text for edit in edits):
        edits += declaration(context, mention.stage, instruction, "TARGETARCH")
    return Fix(title, tuple(edits), safe)


def _can_change(context: Context, mention: Mention) -> bool:
    """Only in stages of the target platform, where a variable is expanded, and where no checksum stands beside it."""
    instruction = mention.instruction
    if instruction is None or mention.stage < 0 or _checks_sums(instruction.raw):
        return False
    if mention.role in {Role.TEXT, Role.LOOSE, Role.ARG} or instruction.json or instruction.heredocs:
        return False
    if mention.call is not None and mention.call.run.language is not Language.SHELL:
        return False
    return context.staging.roles[mention.stage].side in {Side.TARGET, Side.CONSTANT}


@lru_cache(maxsize=64)
def _checks_sums(text: str) -> bool:
    return bool(_SUMS.search(text))


def _quoted(mention: Mention, name: Name, text: str) -> str:
    """The text, as it has to be written where the name stands: single quotes are left for it."""
    if "$" not in text or not _in_single_quotes(mention.text[: name.start - mention.start]):
        return text
    return f"'\"{text}\"'"


def _in_single_quotes(before: str) -> bool:
    if "'" not in before:
        return False
    quote = ""
    for sign in before:
        if sign == quote:
            quote = ""
        elif not quote and sign in "'\"":
            quote = sign
    return quote == "'"


def declaration(context: Context, stage: int, instruction: Instruction, name: str) -> tuple[Edit, ...]:
    """The edit that declares an argument below the FROM of a stage; none where an ARG or ENV above names it."""
    view = context.stages[stage]
    for platform, resolved in view.resolved.items():
        position = view.positions[platform].get(id(instruction), 0)
        if resolved.scope.is_declared(name, before=position):
            return ()
    line = view.stage.instruction.end_line + 1
    return (Edit(line, 1, line, 1, f"ARG {name}{line_end(view.stage.instruction)}"),)


def in_shell(mention: Mention) -> bool:
    """Whether the word stands where a shell expands `$(…)`."""
    return mention.instruction is not None and mention.instruction.keyword == "RUN"


def as_target_architecture(name: Name) -> str:
    """The variable for a name of TARGETARCH's scheme; empty for other schemes."""
    return TARGET_ARCHITECTURE if name.text == "amd64" else ""


def as_machine_name(name: Name) -> str:
    """The command for a name of `uname -m`'s scheme; empty for other schemes."""
    return MACHINE_NAME if name.text == "x86_64" else ""


def download_fix(context: Context, mention: Mention, names: tuple[str, ...], *, safe: bool) -> Fix | None:
    """TARGETARCH or `uname -m` in the place of a name; `names` are what the vendor calls arm64 files, if known."""
    schemes = {name.text for name in mention.names}
    if schemes == {"amd64"} and (not names or "arm64" in names):
        return replacing(context, mention, as_target_architecture, "take the file of TARGETARCH", safe=safe)
    if schemes == {"x86_64"} and in_shell(mention) and (not names or "aarch64" in names):
        return replacing(context, mention, as_machine_name, "take the file of the machine that builds", safe=safe)
    return None
