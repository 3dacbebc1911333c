"""MA510: make, an assembler or a linker is told one architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import problem, wrong_platforms
from orchestrator.auditing.architectures import AMD64, I386
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Mention, Role
from orchestrator.auditing.rule import Problem, rule
from orchestrator.core.finding import Severity

_MAKE_VARIABLE = re.compile(r"(?:\w*ARCH|\w*MACHINE|TARGET_?CPU|CPU|PLATFORM|TARGET|HOST|TRIPLET|SUBARCH)=")
_ASSEMBLER = re.compile(r"(?<![\w-])(?:elf64|elf32|elf_x86_64|elf_i386|elfx32|macho64)\b")


@rule("MA510", Severity.ERROR)
def kernel_or_assembler_architecture(context: Context) -> Iterator[Problem]:
    """make, an assembler or a linker is told one architecture.

    On the other platform the compiler gets flags or sources that it does not take, and the build fails; a kernel or a
    loader is built for the wrong machine without a complaint.

    Bad:
        FROM debian:13
        RUN make ARCH=x86_64 -j4

    Good:
        FROM debian:13
        RUN make ARCH=$(uname -m) -j4
    """
    for mention in context.mentions:
        if _is_make(mention):
            message = (
                f"this builds for {mention.family} on every platform: on {wrong_platforms(mention)} it fails, "
                "or makes files that cannot run"
            )
            yield problem(mention, message)
    for flag in context.flags:
        wrong = [one for one in flag.platforms if one.architecture not in {AMD64, I386}]
        match = _ASSEMBLER.search(flag.text) if flag.program in {"nasm", "yasm", "ld", "as", "gcc", "objcopy"} else None
        if match is not None and wrong:
            message = f"{match[0]} is a format of x86: on {' and '.join(map(str, wrong))} the file cannot be linked"
            yield Problem(flag.place(match.start(), match.end()), message, path=flag.path)


def _is_make(mention: Mention) -> bool:
    if mention.role is not Role.ARGUMENT or mention.program not in {
        "make",
        "gmake",
        "ninja",
        "scons",
        "bazel",
        "bazelisk",
    }:
        return False
    crosses = any(one.startswith("CROSS_COMPILE=") for one in mention.call_arguments)
    return bool(_MAKE_VARIABLE.match(mention.value)) and not crosses
