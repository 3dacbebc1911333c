"""MA601: a library folder of one architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import problem, replacing, wrong_platforms
from orchestrator.auditing.architectures import Name
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Mention, Role
from orchestrator.auditing.programs import PACKAGE_MANAGERS
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.usage import is_address, is_talk
from orchestrator.core.finding import Fix, Severity

_TRIPLE = re.compile(
    r"(?:x86_64|aarch64|i386|i686|arm)-linux-(?:gnu|musl)(?:eabihf)?(?![\w-]*(?:gcc|g\+\+|ld|ar|strip|objcopy|pkg-config))"
)
_BEFORE = re.compile(r"(?:/|lib|include|^|[\s:=;,\"'(\[{])$")


@rule("MA601", Severity.ERROR)
def library_path(context: Context) -> Iterator[Problem]:
    """A path goes through the library folder of one architecture.

    Debian and Ubuntu keep libraries in `/usr/lib/x86_64-linux-gnu` on amd64, in `/usr/lib/aarch64-linux-gnu` on arm64.
    On the other platform COPY and RUN do not find the path and the build fails; in ENV the library is not found at run
    time. In RUN use `$(uname -m)-linux-gnu`, in COPY the wildcard `/usr/lib/*-linux-gnu/`, in ENV a folder made in RUN.

    Bad:
        FROM debian:13
        RUN ln -s /usr/lib/x86_64-linux-gnu/libssl.so.3 /usr/lib/libssl.so

    Good:
        FROM debian:13
        RUN ln -s /usr/lib/$(uname -m)-linux-gnu/libssl.so.3 /usr/lib/libssl.so
    """
    for mention in context.mentions:
        if not _is_library(mention) or is_talk(mention) or is_address(mention.value):
            continue
        message = f"this folder exists on {mention.family} only: on {wrong_platforms(mention)} {_effect(mention)}"
        severity = Severity.WARNING if _is_cleaning(mention) else None
        one = problem(mention, message, fix=_fix(context, mention))
        yield one if severity is None else Problem(one.word, message, path=one.path, severity=severity, fix=one.fix)


def _is_library(mention: Mention) -> bool:
    if mention.role is Role.ARG or (mention.program in PACKAGE_MANAGERS and "/" not in mention.value):
        return False
    for match in _TRIPLE.finditer(mention.text):
        before = mention.text[: match.start()]
        if _BEFORE.search(before) and _is_path(mention.text, match.start(), match.end()):
            return any(match.start() <= name.start - mention.start < match.end() for name in mention.names)
    return False


def _is_path(text: str, start: int, end: int) -> bool:
    return text[start - 1 : start] == "/" or text[end : end + 1] == "/"


def _effect(mention: Mention) -> str:
    match mention.role:
        case Role.ENV:
            return "the library is not found at run time"
        case Role.SOURCE:
            return "COPY does not find it and the build fails"
        case _ if _is_cleaning(mention):
            return "nothing is removed, and the image is larger than it has to be"
        case _:
            return "it is not found, and the build or the program fails"


def _is_cleaning(mention: Mention) -> bool:
    return mention.program == "rm"


def _fix(context: Context, mention: Mention) -> Fix | None:
    def text_for(name: Name) -> str:
        if name.text != "x86_64":
            return ""
        return "$(uname -m)" if mention.instruction is not None and mention.instruction.keyword == "RUN" else "*"

    if mention.role is Role.ARGUMENT or (mention.role is Role.SOURCE and mention.instruction is not None):
        return replacing(context, mention, text_for, "take the folder of the platform", safe=False)
    return None
