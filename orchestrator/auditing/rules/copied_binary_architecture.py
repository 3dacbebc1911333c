"""MA305: a file of the build context, or of another stage, that is for one architecture."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.advice import as_target_architecture, problem, replacing, wrong_platforms
from orchestrator.auditing.context import Context
from orchestrator.auditing.mention import Mention, Role
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.usage import is_address, is_checksum, is_file_work, is_harmless
from orchestrator.core.finding import Severity


@rule("MA305", Severity.ERROR)
def copied_binary_architecture(context: Context) -> Iterator[Problem]:
    """A file for one architecture is copied, unpacked or run.

    The other platform gets the same file: the build succeeds, and the program cannot start there. Choose the file with
    TARGETARCH, which COPY and ADD expand too.

    Bad:
        FROM gcr.io/distroless/static
        COPY dist/app-linux-amd64 /app

    Good:
        FROM gcr.io/distroless/static
        ARG TARGETARCH
        COPY dist/app-linux-${TARGETARCH} /app
    """
    for mention in context.mentions:
        is_copied = mention.role is Role.SOURCE and not is_address(mention.value)
        if not is_copied and (not is_file_work(mention) or is_harmless(mention) or is_checksum(mention)):
            continue
        from_context = is_copied and not _comes_from_stage(mention)
        message = (
            f"this file is for {mention.family}: on {wrong_platforms(mention)} the build succeeds, "
            "and the program cannot run"
        )
        fix = None
        if from_context:
            fix = replacing(context, mention, as_target_architecture, "take the file of TARGETARCH", safe=False)
        yield problem(mention, message, fix=fix, follows=not from_context)


def _comes_from_stage(mention: Mention) -> bool:
    return mention.instruction is not None and mention.instruction.flag("from") is not None
