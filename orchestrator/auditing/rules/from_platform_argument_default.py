"""MA102: a `--platform` that comes from an argument whose default is a constant."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.auditing.context import Context
from orchestrator.auditing.edits import replaced
from orchestrator.auditing.pinned import Effect, effect_of, is_one_of_pair, wrong_platforms
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.staging import Role, Side
from orchestrator.core.finding import Fix, Related, Severity
from orchestrator.dockerfile.instruction import Assignment
from orchestrator.dockerfile.scope import AUTOMATIC

_BETTER = {
    Effect.IMAGE: {"linux/amd64": "$TARGETPLATFORM", "amd64": "$TARGETARCH"},
    Effect.EMULATED: {"linux/amd64": "$BUILDPLATFORM", "amd64": "$BUILDARCH"},
}
_ORDER = (Effect.IMAGE, Effect.COPIED, Effect.EMULATED)


@rule("MA102", Severity.ERROR)
def from_platform_argument_default(context: Context) -> Iterator[Problem]:
    """`FROM --platform=$P` with `ARG P=linux/amd64` pins the stage wherever P is not passed.

    Whoever forgets `--build-arg P=…` gets the default for every platform: BuildKit builds the arm64 image from amd64
    files and says nothing. `$TARGETPLATFORM` is what a stage has by itself; as a default of the argument it can still
    be overridden.

    Bad:
        ARG PLATFORM=linux/amd64
        FROM --platform=$PLATFORM debian:13-slim
        RUN apt-get update

    Good:
        ARG PLATFORM=$TARGETPLATFORM
        FROM --platform=$PLATFORM debian:13-slim
        RUN apt-get update
    """
    pinned: dict[str, list[tuple[Role, Effect]]] = {}
    for role in context.staging.roles:
        names = [name for name in role.variables if name not in AUTOMATIC]
        if role.side is not Side.CONSTANT or role.decided_by != role.stage.index or not names:
            continue
        wrong = wrong_platforms(context, role)
        if wrong and not is_one_of_pair(context, role):
            pinned.setdefault(names[0], []).append((role, effect_of(context, role, wrong)))
    for name, roles in pinned.items():
        yield _problem(context, name, roles)


def _problem(context: Context, name: str, roles: list[tuple[Role, Effect]]) -> Problem:
    effect = min((effect for _, effect in roles), key=_ORDER.index)
    first = roles[0][0]
    default = _default(context, name)
    flag = first.stage.instruction.flag("platform")
    written = flag.word.text if flag is not None else ""
    message = (
        f"without --build-arg {name}, {written} is {first.constant} for every platform: "
        f"{'the stage runs emulated on other builders' if effect is Effect.EMULATED else _SILENT}"
    )
    severity = Severity.WARNING if effect is Effect.EMULATED else Severity.ERROR
    lines = tuple(Related(context.path, role.stage.line, "this stage gets it") for role, _ in roles)
    if default is None or default.value is None:
        word = flag.word if flag is not None else first.stage.base_word
        return Problem(word, message, severity=severity, related=lines[1:])
    return Problem(default.name_word, message, severity=severity, related=lines, fix=_fix(default, effect))


_SILENT = "an arm64 image gets amd64 files, and the build is green"


def _default(context: Context, name: str) -> Assignment | None:
    """The assignment whose value counts: the last one before the first FROM."""
    found = [
        one
        for instruction in context.dockerfile.global_args
        for one in instruction.assignments
        if one.name == name and one.value is not None
    ]
    return found[-1] if found and name not in context.arguments else None


def _fix(default: Assignment, effect: Effect) -> Fix | None:
    if default.value is None:
        return None
    kind = Effect.EMULATED if effect is Effect.EMULATED else Effect.IMAGE
    better = _BETTER[kind].get(default.value.text.strip("\"'"), "")
    if not better:
        return None
    return Fix(f"default to {better}", (replaced(default.value, better),), safe=kind is Effect.IMAGE)
