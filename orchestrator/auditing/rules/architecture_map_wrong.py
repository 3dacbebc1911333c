"""MA206: a branch for one platform that holds the name of another one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.auditing.advice import problem, wrong_platforms
from orchestrator.auditing.architectures import ARM, ARM64
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Mention, Role
from orchestrator.auditing.programs import PACKAGE_MANAGERS
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.runs import Run
from orchestrator.auditing.shell.state import Mismatch
from orchestrator.auditing.usage import is_cross_tool, is_harmless
from orchestrator.core.finding import Severity

_CALLS_ARM64_ARM = re.compile(r"cloudsdk|google-cloud-(?:sdk|cli)|cloud-sdk-release")


@rule("MA206", Severity.ERROR)
def architecture_map_wrong(context: Context) -> Iterator[Problem]:
    """A map of architectures is wrong.

    Either the branch for one platform picks the name of another (arm64 is not `armhf`, and x86_64 not `arm64`), or a
    pattern can never match: `uname -m` says x86_64 and aarch64, TARGETARCH and dpkg say amd64 and arm64. The other
    platform gets the wrong file, or none.

    Bad:
        FROM debian:13
        RUN case "$(uname -m)" in x86_64) A=amd64 ;; aarch64) A=armhf ;; esac; curl -fsSLO https://example.com/tool-$A

    Good:
        FROM debian:13
        RUN case "$(uname -m)" in x86_64) A=amd64 ;; aarch64) A=arm64 ;; esac; curl -fsSLO https://example.com/tool-$A
    """
    for mention in context.mentions:
        if mention.is_guarded and _is_choice(mention) and not _is_known_oddity(context, mention):
            message = (
                f"the branch for {wrong_platforms(mention)} takes {mention.name}, "
                f"which is {mention.family}: what it fetches or builds cannot run there"
            )
            yield problem(mention, message)
    for run in context.interesting:
        for mismatch in _mismatches(run):
            word = run.source.word(mismatch.pattern.start, mismatch.pattern.end)
            message = f"this never matches: the value is {mismatch.value} there, so the branch is not taken"
            yield Problem(word, message, path=run.path)


def _is_choice(mention: Mention) -> bool:
    if mention.program in PACKAGE_MANAGERS and is_cross_tool(mention.value):
        return False
    return mention.role in {Role.VARIABLE, Role.ARGUMENT, Role.FALLBACK} and not (
        is_harmless(mention) and not mention.is_printed
    )


def _is_known_oddity(context: Context, mention: Mention) -> bool:
    """Google calls its arm64 files `arm`."""
    is_arm = mention.family == ARM and all(one.architecture == ARM64 for one in mention.wrong_on)
    return is_arm and mention.name == "arm" and bool(_CALLS_ARM64_ARM.search(context.dockerfile.text))


def _mismatches(run: Run) -> Iterator[Mismatch]:
    seen: set[int] = set()
    for trace in run.traces.values():
        for mismatch in trace.mismatches:
            if mismatch.statement not in trace.matched and id(mismatch.pattern) not in seen:
                seen.add(id(mismatch.pattern))
                yield mismatch
