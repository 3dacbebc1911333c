"""MA505: a configure script is told one host."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import problem, wrong_platforms
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Mention, Role
from orchestrator.auditing.rule import Problem, rule
from orchestrator.core.finding import Severity

_OPTION = re.compile(r"--(?:host|build|target|arch|cpu|target-os|with-arch|march)(?:=|$)")
_COMPILER = re.compile(
    r"^(?:/\S*/)?(?:x86_64|aarch64|i686|arm)-[\w-]*(?:gcc|g\+\+|cc|c\+\+|ld|ar|clang|strip)(?:-\d+)?$"
)
_CONFIGURES = re.compile(
    r"configure(?:\.sh|\.py)?$|^[Cc]onfig(?:ure)?$|^autogen\.sh$|^bootstrap(?:\.sh)?$", re.IGNORECASE
)


@rule("MA505", Severity.ERROR)
def configure_host(context: Context) -> Iterator[Problem]:
    """A configure script is told one architecture.

    On the other platform it looks for a cross compiler that is not there, or compiles with flags that the compiler
    refuses: the build fails. Leave the option out, or derive it from `$(uname -m)` or `gcc -dumpmachine`.

    Bad:
        FROM alpine:3.23
        RUN ./configure --host=x86_64-linux-musl && make

    Good:
        FROM alpine:3.23
        RUN ./configure --host=$(uname -m)-linux-musl && make
    """
    for mention in context.mentions:
        if _is_host(mention):
            message = (
                f"this compiles for {mention.family} on every platform: on {wrong_platforms(mention)} "
                "configure or the compiler fails"
            )
            yield problem(mention, message)


def _is_host(mention: Mention) -> bool:
    if mention.role in {Role.ENV, Role.VARIABLE}:
        return mention.variable in {"CC", "CXX", "LD", "AR", "HOSTCC"} and bool(_COMPILER.search(mention.value))
    if mention.role is not Role.ARGUMENT:
        return False
    if _CONFIGURES.search(mention.program):
        return bool(_OPTION.search(mention.value)) or re.match(r"linux[-_]|BSD-", mention.value) is not None
    return mention.value.startswith(("--host=", "--build=")) and "-" in mention.value.partition("=")[2]
