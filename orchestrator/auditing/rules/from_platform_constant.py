"""MA101: a stage that is pinned to one platform."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.context import Context
from orchestrator.auditing.edits import replaced, without_flag
from orchestrator.auditing.pinned import Effect, effect_of, is_one_of_pair, wrong_platforms
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.staging import Role, Side
from orchestrator.core.finding import Fix, Severity
from orchestrator.core.platform import LINUX_AMD64


@rule("MA101", Severity.ERROR)
def from_platform_constant(context: Context) -> Iterator[Problem]:
    """A constant `--platform` pins a stage to one platform, whatever is built.

    On the stage that becomes the image, BuildKit builds every platform of the list from the same base, writes the
    asked-for architecture into the image, and says nothing: the arm64 image holds amd64 files. In a stage that only
    prepares files it costs emulation on builders of the other architecture; where its binaries are copied into the
    image, they are of the wrong architecture there. Pairs of stages that are chosen by `$TARGETARCH`, and stages that
    the target does not need, are left alone.

    Bad:
        FROM --platform=linux/amd64 debian:13-slim
        RUN apt-get update && apt-get install -y curl

    Good:
        FROM debian:13-slim
        RUN apt-get update && apt-get install -y curl
    """
    for role in context.staging.roles:
        if role.side is not Side.CONSTANT or role.variables or role.decided_by != role.stage.index:
            continue
        wrong = wrong_platforms(context, role)
        if not wrong or is_one_of_pair(context, role):
            continue
        effect = effect_of(context, role, wrong)
        flag = role.stage.instruction.flag("platform")
        if flag is None:
            continue
        yield Problem(
            flag.word,
            _message(role, effect, ", ".join(map(str, wrong))),
            severity=Severity.WARNING if effect is Effect.EMULATED else Severity.ERROR,
            fix=_fix(role, effect),
        )


def _message(role: Role, effect: Effect, platforms: str) -> str:
    match effect:
        case Effect.IMAGE:
            return (
                f"the image for {platforms} is made of {role.constant} files: the build is green and the image says "
                f"{platforms}, but its programs do not run there"
            )
        case Effect.COPIED:
            return (
                f"binaries of this {role.constant} stage are copied into the image for {platforms}: the build is "
                "green, but they do not run there"
            )
        case Effect.EMULATED:
            return (
                f"this stage is {role.constant} on every machine: a builder of another architecture has to emulate it; "
                "write $BUILDPLATFORM for a stage whose result is the same on every platform"
            )


def _fix(role: Role, effect: Effect) -> Fix | None:
    """Without the flag a stage has the target platform, which changes nothing for an amd64 image of an amd64 stage."""
    flag = role.stage.instruction.flag("platform")
    if flag is None:
        return None
    if effect is Effect.EMULATED:
        edit = replaced(flag.word, "--platform=$BUILDPLATFORM")
        return Fix("build this stage on the platform of the builder", (edit,), safe=False)
    safe = role.constant == str(LINUX_AMD64)
    return Fix("build this stage for the target platform", (without_flag(flag, role.stage.base_word),), safe=safe)
