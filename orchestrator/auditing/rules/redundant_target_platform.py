"""MA108: a flag that asks for what a stage has anyway."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.context import Context
from orchestrator.auditing.edits import without_flag
from orchestrator.auditing.rule import Problem, rule
from orchestrator.core.finding import Fix, Severity
from orchestrator.dockerfile.scope import Origin


@rule("MA108", Severity.NOTE)
def redundant_target_platform(context: Context) -> Iterator[Problem]:
    """`FROM --platform=$TARGETPLATFORM` is what FROM does by itself.

    It does no harm, but it opens a door: with `ARG TARGETPLATFORM=linux/amd64` somewhere above, the stage is pinned to
    amd64. Docker's own check RedundantTargetPlatform says the same.

    Bad:
        FROM --platform=$TARGETPLATFORM alpine:3.22

    Good:
        FROM alpine:3.22
    """
    shadowed = any(
        resolved.global_scope["TARGETPLATFORM"].origin is not Origin.AUTOMATIC
        for resolved in context.staging.surveys.values()
    )
    for stage in () if shadowed else context.dockerfile.stages:
        flag = stage.instruction.flag("platform")
        if flag is None or stage.platform not in {"$TARGETPLATFORM", "${TARGETPLATFORM}"}:
            continue
        if any(isinstance(one.stages[stage.index].base, int) for one in context.staging.surveys.values()):
            continue
        fix = Fix("leave the flag out", (without_flag(flag, stage.base_word),))
        yield Problem(flag.word, "a stage has the target platform by itself: the flag changes nothing", fix=fix)
