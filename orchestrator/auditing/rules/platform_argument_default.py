"""MA201: a value in the place of TARGETARCH or its siblings."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.context import Context
from orchestrator.auditing.edits import line_above, replaced, without_assignment, without_default
from orchestrator.auditing.platform_arguments import Shadow, target_shadows
from orchestrator.auditing.rule import Problem, rule
from orchestrator.core.finding import Edit, Fix, Severity
from orchestrator.core.platform import LINUX_AMD64
from orchestrator.dockerfile.scope import automatic_values

_NAMES = frozenset({"TARGETPLATFORM", "TARGETARCH", "TARGETVARIANT", "TARGETOS"})


@rule("MA201", Severity.ERROR)
def platform_argument_default(context: Context) -> Iterator[Problem]:
    """A default for TARGETARCH or TARGETPLATFORM beats the value that BuildKit sets.

    `ARG TARGETARCH=amd64` is not a fallback: in a stage the default always wins, and before the first FROM it wins for
    every later bare `ARG TARGETARCH`. The arm64 build downloads or compiles for amd64 and stays green. (Podman reads
    the same line differently: it ignores a default for TARGETARCH, and refuses one for TARGETPLATFORM.) `ENV` shadows
    in the same way, and an empty default (`ARG TARGETARCH=`) gives the empty text. Who wants a fallback for builders
    without BuildKit writes it where the value is used: `${TARGETARCH:-amd64}`.

    The fix deletes the default in a stage, and the whole line before the first FROM: there, engines up to 26 empty the
    value of a bare `ARG TARGETARCH`.

    Bad:
        FROM alpine:3.22
        ARG TARGETARCH=amd64
        RUN wget -O /usr/bin/kubectl "https://dl.k8s.io/release/v1.34.0/bin/linux/${TARGETARCH}/kubectl"

    Good:
        FROM alpine:3.22
        ARG TARGETARCH
        RUN wget -O /usr/bin/kubectl "https://dl.k8s.io/release/v1.34.0/bin/linux/${TARGETARCH}/kubectl"
    """
    shadows = list(target_shadows(context, _NAMES))
    hidden = {one.assignment.name for one in shadows if one.stage < 0 and one.wrong}
    for shadow in shadows:
        name = shadow.assignment.name
        if not shadow.is_constant and shadow.stage >= 0 and name in hidden:
            continue
        if shadow.wrong:
            yield Problem(shadow.assignment.name_word, _message(shadow), fix=_fix(shadow))
        elif name == "TARGETOS" and shadow.is_constant and shadow.instruction.keyword == "ARG":
            message = "BuildKit sets TARGETOS by itself; the default would beat it for any other system"
            yield Problem(shadow.assignment.name_word, message, severity=Severity.NOTE, fix=_fix(shadow))


def _message(shadow: Shadow) -> str:
    platform, meant, value = shadow.wrong[0]
    name, keyword = shadow.assignment.name, shadow.instruction.keyword
    where = "in every stage" if shadow.stage < 0 else "in this stage"
    given = f"{value!r}" if value else "empty"
    return (
        f"{name} is {given} {where} when {platform} is built, instead of {meant!r}: {keyword} with a value beats what "
        "BuildKit sets, the build is green, and what is chosen by it is of the wrong architecture"
    )


def _fix(shadow: Shadow) -> Fix | None:
    """Safe where an amd64 build gets the same value as before."""
    assignment, instruction = shadow.assignment, shadow.instruction
    value = assignment.value.text.strip("\"'") if assignment.value is not None else ""
    amd64 = automatic_values(LINUX_AMD64, LINUX_AMD64, "")[assignment.name]
    safe = value == amd64
    edits: tuple[Edit, ...]
    if instruction.keyword == "ENV":
        if assignment.value is None or not safe:
            return None
        edits = (line_above(instruction, f"ARG {assignment.name}"), replaced(assignment.value, f"${assignment.name}"))
        return Fix("take the value that BuildKit sets", edits)
    if shadow.stage < 0:
        return Fix("delete the line", (without_assignment(instruction, assignment),), safe=safe)
    return Fix("delete the default", (without_default(assignment),), safe=safe)
