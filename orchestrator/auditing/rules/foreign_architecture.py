"""MA404: dpkg is told of an architecture that the other platform cannot use."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.advice import problem, wrong_platforms
from orchestrator.auditing.architectures import I386
from orchestrator.auditing.context import Context
from orchestrator.auditing.rule import Problem, rule
from orchestrator.core.finding import Severity


@rule("MA404", Severity.ERROR)
def foreign_architecture(context: Context) -> Iterator[Problem]:
    """32-bit x86 packages are enabled.

    Packages of i386 run on amd64 only. On arm64 they are not found on most mirrors, or cannot run; there is no arm64
    answer to them. Do it for amd64 only, and leave the other platform without, or do not build for it.

    Bad:
        FROM debian:13
        RUN dpkg --add-architecture i386 && apt-get update && apt-get install -y libc6:i386

    Good:
        FROM debian:13
        RUN if [ "$(dpkg --print-architecture)" = amd64 ]; then \\
              dpkg --add-architecture i386 && apt-get update && apt-get install -y libc6:i386; \\
            fi
    """
    for mention in context.mentions:
        if mention.program == "dpkg" and "--add-architecture" in mention.call_arguments and mention.family == I386:
            message = (
                f"this enables i386 packages, which run on amd64 only: on {wrong_platforms(mention)} they are not "
                "found or cannot run, and the build fails"
            )
            yield problem(mention, message)
