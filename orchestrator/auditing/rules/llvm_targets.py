"""MA509: LLVM is built for x86 only."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.architectures import AMD64, ARM64
from orchestrator.auditing.context import Context
from orchestrator.auditing.rule import Problem, rule
from orchestrator.core.finding import Severity

_TARGETS = re.compile(r"LLVM_TARGETS_TO_BUILD(?::STRING)?=(?P<targets>[\w;,\\-]+)")
_NATIVE = {AMD64: {"x86"}, ARM64: {"aarch64"}}


@rule("MA509", Severity.ERROR)
def llvm_targets(context: Context) -> Iterator[Problem]:
    """LLVM is built without the platform's own target.

    The build works, and the compiler that comes out cannot compile for the machine that it runs on. `host`, `Native` or
    `all` are right everywhere.

    Bad:
        FROM debian:13
        RUN cmake -DLLVM_TARGETS_TO_BUILD=X86 -B build llvm

    Good:
        FROM debian:13
        RUN cmake -DLLVM_TARGETS_TO_BUILD=host -B build llvm
    """
    for flag in context.flags:
        match = _TARGETS.search(flag.text)
        if match is None:
            continue
        named = {one.lower() for one in re.split(r"[;,\\]+", match["targets"]) if one}
        wrong = [
            one
            for one in flag.platforms
            if not named & ({"host", "native", "all"} | _NATIVE.get(one.architecture, named))
        ]
        if wrong:
            platforms = " and ".join(map(str, wrong))
            message = f"this LLVM has no code generator for {platforms}: it cannot compile for its own machine there"
            yield Problem(flag.place(*match.span("targets")), message, path=flag.path)
