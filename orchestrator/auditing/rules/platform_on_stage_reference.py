"""MA109: a platform asked of a stage that has another one."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.context import Context
from orchestrator.auditing.edits import without_flag
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.staging import Side, asked_side
from orchestrator.core.finding import Fix, Related, Severity


@rule("MA109", Severity.NOTE)
def platform_on_stage_reference(context: Context) -> Iterator[Problem]:
    """`FROM --platform=… stage` keeps the platform of the stage; the flag has no effect.

    BuildKit reads the flag and ignores it (docker/buildx#2946): a stage that is built from another stage has the
    platform of that one. Told only where the flag asks for something else than the stage has, because there the file
    does not do what it says.

    Bad:
        FROM --platform=$BUILDPLATFORM golang:1.25 AS base
        FROM --platform=$TARGETPLATFORM base AS tools
        RUN go version
        FROM debian:13-slim
        COPY --from=tools /go/pkg/mod /go/pkg/mod

    Good:
        FROM --platform=$BUILDPLATFORM golang:1.25 AS base
        FROM base AS tools
        RUN go version
        FROM debian:13-slim
        COPY --from=tools /go/pkg/mod /go/pkg/mod
    """
    surveys = context.staging.surveys.values()
    for role in context.staging.roles:
        stage = role.stage
        flag = stage.instruction.flag("platform")
        bases = {resolved.stages[stage.index].base for resolved in surveys}
        if flag is None or not all(isinstance(base, int) for base in bases):
            continue
        asked = asked_side(context.dockerfile, stage, context.staging)
        if asked.side in {role.side, Side.UNKNOWN} and asked.constant == role.constant:
            continue
        origin = context.dockerfile.stages[role.decided_by]
        message = (
            f"{flag.word.text} has no effect: {stage.base_word.text} is a stage, and keeps the platform that it has"
        )
        related = Related(context.path, origin.line, "its platform is decided here")
        fix = Fix("leave the flag out", (without_flag(flag, stage.base_word),))
        yield Problem(flag.word, message, fix=fix, related=(related,))
