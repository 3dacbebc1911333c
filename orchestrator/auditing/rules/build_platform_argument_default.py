"""MA202: a value in the place of BUILDPLATFORM or its siblings."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.context import Context
from orchestrator.auditing.edits import without_assignment, without_default
from orchestrator.auditing.platform_arguments import Shadow, build_shadows
from orchestrator.auditing.rule import Problem, rule
from orchestrator.core.finding import Fix, Related, Severity
from orchestrator.core.platform import LINUX_AMD64
from orchestrator.dockerfile.scope import automatic_values

_NAMES = frozenset({"BUILDPLATFORM", "BUILDARCH", "BUILDVARIANT", "BUILDOS"})


@rule("MA202", Severity.WARNING)
def build_platform_argument_default(context: Context) -> Iterator[Problem]:
    """A default for BUILDPLATFORM pins every `$BUILDPLATFORM` stage, whatever machine builds.

    `ARG BUILDPLATFORM=linux/amd64` before the first FROM beats the value that BuildKit sets. Nobody notices on an amd64
    builder. On an arm64 one (Graviton, Apple Silicon) the stages that were meant to be native run under emulation, ten
    times slower, or end with "exec format error" where no emulator is installed.

    The fix deletes the line: engines up to 26 empty the value of a bare `ARG BUILDPLATFORM` before the first FROM.

    Bad:
        ARG BUILDPLATFORM=linux/amd64
        FROM --platform=$BUILDPLATFORM node:24 AS build
        RUN npm run build
        FROM nginx:1.29
        COPY --from=build /dist /usr/share/nginx/html

    Good:
        FROM --platform=$BUILDPLATFORM node:24 AS build
        RUN npm run build
        FROM nginx:1.29
        COPY --from=build /dist /usr/share/nginx/html
    """
    for shadow in build_shadows(context, _NAMES):
        if shadow.wrong:
            yield Problem(
                shadow.assignment.name_word, _message(shadow), fix=_fix(shadow), related=_related(context, shadow)
            )


def _message(shadow: Shadow) -> str:
    platform, meant, value = shadow.wrong[0]
    given = f"{value!r}" if value else "empty"
    return (
        f"{shadow.assignment.name} is {given} on a {platform} builder, instead of {meant!r}: stages that should run "
        "natively are emulated there, or fail with an exec format error"
    )


def _related(context: Context, shadow: Shadow) -> tuple[Related, ...]:
    name = shadow.assignment.name
    return tuple(
        Related(context.path, stage.line, "this stage gets it")
        for stage in (context.dockerfile.stages if shadow.stage < 0 else ())
        if name in stage.platform
    )


def _fix(shadow: Shadow) -> Fix | None:
    assignment, instruction = shadow.assignment, shadow.instruction
    if instruction.keyword != "ARG" or assignment.value is None:
        return None
    amd64 = automatic_values(LINUX_AMD64, LINUX_AMD64, "")[assignment.name]
    safe = assignment.value.text.strip("\"'") == amd64
    if shadow.stage < 0:
        return Fix("delete the line", (without_assignment(instruction, assignment),), safe=safe)
    return Fix("delete the default", (without_default(assignment),), safe=safe)
