"""MA203: a platform argument that the stage does not declare."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from orchestrator.auditing.context import Context
from orchestrator.auditing.edits import line_above
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.staging import Side
from orchestrator.auditing.undeclared import NAMES, Expansion, Weight, undeclared
from orchestrator.core.finding import Fix, Related, Severity

_SEVERITY = {Weight.SHOWN: Severity.NOTE, Weight.DESCRIBED: Severity.WARNING, Weight.USED: Severity.ERROR}
_MILD = frozenset({"TARGETOS", "BUILDOS", "TARGETVARIANT", "BUILDVARIANT"})


@rule("MA203", Severity.ERROR)
def platform_argument_undeclared(context: Context) -> Iterator[Problem]:
    """`$TARGETARCH` is empty in a stage that does not declare it with ARG.

    BuildKit sets the platform arguments for FROM lines; a stage sees them only below `ARG TARGETARCH`. Without it the
    shell expands `$TARGETARCH` to nothing: `GOARCH=` compiles for the machine that builds, `case` takes no branch, an
    address has a hole. On `$BUILDPLATFORM` stages that ships an amd64 program in the arm64 image, and the build is
    green. A stage that is built from one that declares the argument inherits it.

    Bad:
        FROM --platform=$BUILDPLATFORM golang:1.25 AS build
        COPY . .
        RUN CGO_ENABLED=0 GOARCH=$TARGETARCH go build -o /out/app .
        FROM scratch
        COPY --from=build /out/app /app

    Good:
        FROM --platform=$BUILDPLATFORM golang:1.25 AS build
        COPY . .
        ARG TARGETARCH
        RUN CGO_ENABLED=0 GOARCH=$TARGETARCH go build -o /out/app .
        FROM scratch
        COPY --from=build /out/app /app
    """
    for stage in context.dockerfile.stages:
        found = list(undeclared(context, stage.index))
        reported: set[str] = set()
        for _, group in groupby(found, key=lambda one: one.position):
            new = [one for one in group if one.name not in reported]
            if new:
                reported.update(one.name for one in new)
                yield _problem(context, stage.index, new, found)


def _problem(context: Context, stage: int, new: list[Expansion], found: list[Expansion]) -> Problem:
    names = sorted({one.name for one in new}, key=NAMES.index)
    first = min(new, key=lambda one: (-_rank(one), one.word.line, one.word.column))
    listed = " and ".join(names)
    empty, them = ("are empty", "them") if len(names) > 1 else ("is empty", "it")
    what = _what(context.staging.roles[stage].side, new)
    message = f"{listed} {empty} here: no ARG in this stage declares {them}; {what}"
    later = {one.word.line for one in found if one.name in names and one.word.line > first.word.line}
    related = tuple(Related(context.path, line, "also empty") for line in sorted(later)[:10])
    declaration = f"ARG {' '.join(names)}"
    fix = None
    if not first.instruction.onbuild:
        fix = Fix(f"declare {declaration}", (line_above(first.instruction, declaration),))
    return Problem(first.word, message, severity=_severity(new), fix=fix, related=related)


def _what(side: Side, new: list[Expansion]) -> str:
    if all(one.weight is Weight.SHOWN for one in new):
        return "the line in the log has a hole"
    if all(one.instruction.keyword == "LABEL" for one in new):
        return "the label has a hole, on every platform"
    if side is Side.BUILD:
        return "what is compiled or chosen by it is the builder's, whatever platform is built, and the build is green"
    if _severity(new) is Severity.ERROR:
        return "what is chosen by it is missing, or is that of one platform on all of them"
    return "it is right only as long as the stage runs on the target's platform, and nothing else depends on it"


def _rank(one: Expansion) -> int:
    return _severity([one]).rank


def _severity(found: list[Expansion]) -> Severity:
    """The worst of some expansions; an operating system or a variant is seldom another one."""
    severities = [_SEVERITY[one.weight] for one in found if one.name not in _MILD]
    mild = [min(_SEVERITY[one.weight], Severity.WARNING, key=lambda severity: severity.rank) for one in found]
    return max([*severities, *mild], key=lambda severity: severity.rank)
