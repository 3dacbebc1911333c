"""MA605: the output of a compiler, in a folder that is called after one architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import problem, wrong_platforms
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Role
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.usage import is_address, is_harmless
from orchestrator.core.finding import Severity

_OUTPUT = re.compile(
    r"target/(?:x86_64|aarch64|i686|armv7)-[\w-]+|/(?:Release|Debug|publish)/\S*(?:linux-(?:musl-)?(?:x64|arm64))|(?:linux-(?:musl-)?(?:x64|arm64))/publish"
    r"|(?:build|dist|out|bin|release|_output|pkg)/\S*(?:linux[-_/](?:amd64|arm64|x64|x86_64)|amd64|x86_64|arm64|aarch64)"
    r"|bazel-out/k8"
)


@rule("MA605", Severity.ERROR)
def build_output_path(context: Context) -> Iterator[Problem]:
    """The output of a build is taken from a folder of one architecture.

    The other platform's build writes somewhere else, so the path is not found and the build fails; where the compiler
    is told the same architecture on every platform, the program in it cannot run.

    Bad:
        FROM rust:1.92 AS build
        FROM debian:13
        COPY --from=build /src/target/x86_64-unknown-linux-gnu/release/app /usr/bin/app

    Good:
        FROM rust:1.92 AS build
        FROM debian:13
        COPY --from=build /src/target/release/app /usr/bin/app
    """
    for mention in context.mentions:
        if mention.role not in {Role.SOURCE, Role.ARGUMENT, Role.PROGRAM} or is_address(mention.value):
            continue
        is_copy = mention.instruction is not None and mention.instruction.flag("from") is not None
        if (is_copy or mention.role is not Role.SOURCE) and _OUTPUT.search(mention.value) and not is_harmless(mention):
            message = (
                f"this is the output for {mention.family}: on {wrong_platforms(mention)} it is not found and the build "
                "fails, or it cannot run"
            )
            yield problem(mention, message, follows=True)
