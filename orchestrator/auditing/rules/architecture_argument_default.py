"""MA204: an argument of the file's own whose default is one architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from orchestrator.auditing.architectures import names, word_name
from orchestrator.auditing.context import Context
from orchestrator.auditing.edits import line_above, replaced
from orchestrator.auditing.rule import Problem, rule
from orchestrator.auditing.staging import Side
from orchestrator.core.finding import Edit, Fix, Related, Severity
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.instruction import Assignment, Instruction
from orchestrator.dockerfile.scope import AUTOMATIC

_FILLER = re.compile(
    r"linux|unknown|pc|gnu|gnueabi|musl|libc|glibc|manylinux\d*|musllinux\d*|debian|ubuntu|alpine|el\d+|bookworm|bullseye"
    r"|noble|jammy|generic|[-_/.\d\"']+",
    re.IGNORECASE,
)
_NAMED_FOR_IT = re.compile(r"arch|platform|cpu|machine|target|triple|triplet", re.IGNORECASE)
_SAME_FOR_AMD64 = {"amd64": "TARGETARCH", "linux/amd64": "TARGETPLATFORM"}


@dataclass(frozen=True, slots=True)
class _Default:
    """`ARG NAME=x86_64` of a stage (-1: before the first FROM)."""

    instruction: Instruction
    assignment: Assignment
    text: str
    family: str
    stage: int


@dataclass(frozen=True, slots=True)
class _Uses:
    """The lines in which a default gets into an image, and those of FROM."""

    lines: tuple[int, ...]
    bases: tuple[int, ...]


@rule("MA204", Severity.ERROR)
def architecture_argument_default(context: Context) -> Iterator[Problem]:
    """`ARG ARCH=amd64` is amd64 for every platform unless somebody passes another value.

    A build for several platforms passes one set of build arguments to all of them, so that the arm64 build gets the
    default too: it fails where the file of the other architecture is needed to go on, and ships the wrong file where it
    is not. `TARGETARCH` has the right value by itself; where a project uses other names, a `case` over it makes them.
    Only in a FROM line it is a warning: such files are usually built once for each architecture, with the argument.

    Bad:
        FROM debian:13-slim
        ARG ARCH=amd64
        RUN curl -fsSLo /usr/local/bin/tool "https://example.com/tool-${ARCH}"

    Good:
        FROM debian:13-slim
        ARG TARGETARCH
        ARG ARCH=$TARGETARCH
        RUN curl -fsSLo /usr/local/bin/tool "https://example.com/tool-${ARCH}"
    """
    defaults = list(_defaults(context))
    expansions = _expansions(context, frozenset(one.assignment.name for one in defaults)) if defaults else {}
    for default in defaults:
        uses = _uses(context, default, expansions)
        wrong = _wrong(context, default)
        if not wrong or not (uses.lines or uses.bases):
            continue
        severity = Severity.ERROR if uses.lines else Severity.WARNING
        yield Problem(
            default.assignment.name_word,
            _message(default, uses, wrong),
            severity=severity,
            fix=_fix(context, default),
            related=tuple(Related(context.path, line, "used here") for line in (*uses.bases, *uses.lines)[:10]),
        )


def _defaults(context: Context) -> Iterator[_Default]:
    sites = [(-1, instruction) for instruction in context.dockerfile.global_args]
    sites += [(stage.index, one) for stage in context.dockerfile.stages for one in stage.instructions]
    for stage, instruction in sites:
        for assignment in instruction.assignments if instruction.keyword == "ARG" and not instruction.onbuild else ():
            text = assignment.value.text.strip("\"'") if assignment.value is not None else ""
            family = _family(assignment.name, text)
            if family and assignment.name not in AUTOMATIC and assignment.name not in context.arguments:
                yield _Default(instruction, assignment, text, family, stage)


def _family(name: str, text: str) -> str:
    """The family of a default that is nothing but the name of an architecture, or a target triple."""
    found = names(text)
    if len(found) != 1 or (found[0].weak and not _NAMED_FOR_IT.search(name)):
        return ""
    rest = text[: found[0].start] + text[found[0].end :]
    return found[0].family if word_name(text) or not _FILLER.sub("", rest) else ""


def _wrong(context: Context, default: _Default) -> tuple[Platform, ...]:
    platforms = context.platforms if default.stage < 0 else context.stages[default.stage].platforms
    return tuple(platform for platform in platforms if platform.architecture != default.family)


_Expansions = dict[tuple[int, int], list[Instruction]]


def _expansions(context: Context, names_: frozenset[str]) -> _Expansions:
    """The instructions in stages that expand one of some arguments, by the place of the ARG that gives the value."""
    pattern = re.compile(r"\$\{?(\w+)")
    found: _Expansions = {}
    for resolved in next(iter(context.staging.surveys.values())).stages:
        for position, instruction in enumerate(resolved.executed):
            used = names_.intersection(pattern.findall(instruction.raw)) if "$" in instruction.raw else ()
            for name in used:
                variable = resolved.scope.lookup(name, before=position)
                found.setdefault((variable.line, variable.column), []).append(instruction)
    return found


def _uses(context: Context, default: _Default, expansions: _Expansions) -> _Uses:
    """Where the value is expanded: below the ARG in its stage, or in every stage that takes a global one in."""
    word = default.assignment.name_word
    lines = [one.line for one in expansions.get((word.line, word.column), ()) if not _is_set(default, one)]
    bases: list[int] = []
    if default.stage < 0:
        pattern = re.compile(rf"\$\{{?{re.escape(default.assignment.name)}\b")
        bases = [stage.line for stage in context.dockerfile.stages if _in_base(pattern, stage.instruction)]
    return _Uses(tuple(dict.fromkeys(lines)), tuple(bases))


def _in_base(pattern: re.Pattern[str], origin: Instruction) -> bool:
    return any(pattern.search(word.text) for word in (*origin.words[:1], *(flag.word for flag in origin.flags)))


def _is_set(default: _Default, instruction: Instruction) -> bool:
    """Whether the instruction gives the variable a value of its own first, and not just its own one again."""
    name = re.escape(default.assignment.name)
    given = rf"(?:^|[\s;&|(]){name}=(?!=|[\"']?\$\{{?{name}\b)"
    return instruction.keyword == "RUN" and bool(re.search(given, instruction.raw))


def _message(default: _Default, uses: _Uses, wrong: tuple[Platform, ...]) -> str:
    name, platforms = default.assignment.name, ", ".join(map(str, wrong))
    if not uses.lines:
        return f"without --build-arg {name}, the base image for {platforms} is that of {default.text} too"
    return (
        f"{name} is {default.text} when {platforms} is built, too: one set of build arguments goes to all platforms; "
        "derive it from TARGETARCH"
    )


def _fix(context: Context, default: _Default) -> Fix | None:
    """Only where amd64 keeps its value; a stage of the builder may mean the builder's architecture."""
    automatic = _SAME_FOR_AMD64.get(default.text, "")
    value = default.assignment.value
    if not automatic or value is None:
        return None
    edits: list[Edit] = [replaced(value, f"${automatic}")]
    if default.stage < 0:
        return Fix(f"default to {automatic}", tuple(edits))
    resolved = next(iter(context.staging.surveys.values())).stages[default.stage]
    position = next(number for number, one in enumerate(resolved.executed) if one is default.instruction)
    if not resolved.scope.is_declared(automatic, before=position):
        edits.insert(0, line_above(default.instruction, f"ARG {automatic}"))
    safe = context.staging.roles[default.stage].side is not Side.BUILD
    return Fix(f"default to {automatic}", tuple(edits), safe=safe)
