"""MA503: Zig compiles for one architecture."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.advice import problem, wrong_platforms
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Mention, Role
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.usage import option_before
from orchestrator.core.finding import Severity


@rule("MA503", Severity.ERROR)
def zig_target(context: Context) -> Iterator[Problem]:
    """A Zig target names one architecture.

    Zig cross-compiles without a complaint, so the build succeeds on every platform and the other platform's image
    holds a program that cannot start.

    Bad:
        FROM alpine:3.23
        RUN zig build -Dtarget=x86_64-linux-musl

    Good:
        FROM alpine:3.23
        RUN zig build -Dtarget=$(uname -m)-linux-musl
    """
    for mention in context.mentions:
        if _is_target(mention):
            message = (
                f"Zig compiles for {mention.family} on every platform: on {wrong_platforms(mention)} "
                "the build succeeds, and the program cannot run"
            )
            yield problem(mention, message)


def _is_target(mention: Mention) -> bool:
    words = mention.value.split()
    in_zig = mention.program == "zig" or words[:1] == ["zig"]
    if not in_zig or mention.role not in {Role.ARGUMENT, Role.ENV, Role.VARIABLE}:
        return False
    return "target" in mention.value or "-Dcpu" in mention.value or option_before(mention) in {"-target", "--target"}
