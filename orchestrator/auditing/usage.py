"""How a word that names an architecture is used: as an address, a file, a message, or something that a tool is told."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps

from orchestrator.auditing.mention import Mention, Role
from orchestrator.auditing.programs import (
    DOWNLOADERS,
    FILE_TOOLS,
    OUTPUT_OPTIONS,
    QUIET,
    SEARCHERS,
    SUMMERS,
    TALKERS,
    VALUE_OPTIONS,
)
from orchestrator.auditing.shell.commands import SHELLS
from orchestrator.auditing.shell.machine import UNKNOWN

_ADDRESS = re.compile(r"(?:https?|ftp|s3|gs|oci)://|^git@", re.IGNORECASE)
_HOST = re.compile(r"^(?:www\.|github\.com/|dl\.|get\.|downloads?\.|raw\.)[\w.-]*/", re.IGNORECASE)
_BROWSER = re.compile(r"Mozilla/|User-Agent|Linux x86_64\)", re.IGNORECASE)
_EMULATOR = re.compile(r"qemu[-_/]|binfmt", re.IGNORECASE)
_CROSS_PACKAGE = re.compile(
    r"(?:gcc|g\+\+|binutils|libc6|linux-libc|crossbuild|gfortran|gdb|pkg-?conf|clang|cpp|gobjc|libstdc\+\+)[\w.+-]*-"
    r"|-cross\b|qemu-|mingw|grub-efi|ovmf|seabios",
    re.IGNORECASE,
)


Predicate = Callable[[Mention], bool]


def _remembered(predicate: Predicate) -> Predicate:
    """Ask once for each mention: many rules want to know the same."""

    @wraps(predicate)
    def ask(mention: Mention) -> bool:
        answer = mention.answers.get(predicate.__name__)
        if answer is None:
            answer = mention.answers[predicate.__name__] = predicate(mention)
        return answer

    return ask


def is_address(text: str) -> bool:
    """Whether a text is an address, or holds one."""
    return bool(_ADDRESS.search(text) or _HOST.match(text))


def option_before(mention: Mention) -> str:
    """The option whose value the argument is, as far as it stands in the word before."""
    if mention.call is None or mention.index < 1:
        return ""
    before = mention.call.arguments[mention.index - 1] if mention.index <= len(mention.call.arguments) else ""
    return before if before.startswith("-") else ""


@_remembered
def is_download(mention: Mention) -> bool:
    """Whether the word is what a command fetches."""
    if mention.role not in {Role.ARGUMENT, Role.FALLBACK, Role.LIST, Role.TEXT, Role.LOOSE}:
        return False
    if mention.role in {Role.TEXT, Role.LOOSE, Role.LIST}:
        return is_address(mention.value)
    program = mention.program
    if program in QUIET | TALKERS and program not in SEARCHERS:
        return False
    if program in SEARCHERS:
        return fetches_upstream(mention)
    if program in DOWNLOADERS:
        return not writes_file(mention) and not is_header(mention)
    return is_address(mention.value)


def fetches_upstream(mention: Mention) -> bool:
    """Whether a command before it in the pipeline, or in the same `$(…)`, fetches a list to choose from."""
    upstream = mention.call.upstream if mention.call is not None else ()
    return any(one.rpartition("/")[2] in DOWNLOADERS for one in upstream)


@_remembered
def writes_file(mention: Mention) -> bool:
    """Whether the word is the file that a downloader writes."""
    option = option_before(mention)
    value_options = VALUE_OPTIONS.get(mention.program, VALUE_OPTIONS["curl"])
    if mention.program == "curl" and re.fullmatch(r"-[a-zA-Z]*o", option):
        return True
    if mention.program == "wget" and re.fullmatch(r"-[a-zA-Z]*[OP]", option):
        return True
    attached = re.match(r"(--output(?:-document)?|--out)=", mention.value)
    return bool(attached) or (option in OUTPUT_OPTIONS and option in value_options)


@_remembered
def is_header(mention: Mention) -> bool:
    """Whether the word goes into a header or is other data of the request."""
    option = option_before(mention)
    values = VALUE_OPTIONS.get(mention.program, frozenset())
    return (option in values and option not in OUTPUT_OPTIONS) or bool(_BROWSER.search(mention.value))


@_remembered
def is_checksum(mention: Mention) -> bool:
    """Whether the word tells a checksum program which file is meant."""
    call = mention.call
    if call is None:
        return False
    around = {one.rpartition("/")[2] for one in (*call.upstream, *call.visit.downstream, mention.program)}
    return bool(around & SUMMERS) and (mention.program in TALKERS | SEARCHERS | SUMMERS | {"cat", "tee"})


@_remembered
def is_talk(mention: Mention) -> bool:
    """Whether the word is only printed for people."""
    call = mention.call
    if call is None or mention.role is not Role.ARGUMENT:
        return False
    if _BROWSER.search(mention.value):
        return True
    if mention.program not in TALKERS or mention.is_printed:
        return False
    return not call.command.redirects and not call.visit.downstream


def is_file_work(mention: Mention) -> bool:
    """Whether a command unpacks, copies, moves or runs the file that the word names."""
    if mention.role in {Role.TARGET, Role.PROGRAM}:
        return True
    if mention.program in SHELLS and mention.index > 0:
        return False
    return mention.role is Role.ARGUMENT and (mention.program in FILE_TOOLS or writes_file(mention))


@_remembered
def is_harmless(mention: Mention) -> bool:
    """Whether the word does nothing to the image: messages, searches, names of tools that emulate or cross-compile."""
    if mention.role is Role.ARGUMENT and mention.program in QUIET | SEARCHERS:
        return not fetches_upstream(mention)
    if mention.role is Role.ARGUMENT and mention.program in TALKERS and not mention.is_printed:
        return True
    if mention.role is Role.PROGRAM and not set("./") & set(mention.value[:2]):
        return True
    if "platform_machine" in mention.text:
        return True
    return is_talk(mention) or bool(_EMULATOR.search(mention.value)) or mention.value == UNKNOWN


def is_cross_tool(text: str) -> bool:
    """Whether a package is a cross compiler or the like, which names its target on purpose."""
    return bool(_CROSS_PACKAGE.search(text))
