"""Where a stage expands platform arguments that no ARG in it declares."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from orchestrator.auditing.context import Context
from orchestrator.auditing.references import references_of
from orchestrator.auditing.runs import Language, Run
from orchestrator.auditing.staging import Side
from orchestrator.dockerfile.instruction import Instruction
from orchestrator.dockerfile.resolve import ResolvedStage
from orchestrator.dockerfile.source import Word

NAMES = tuple(f"{side}{part}" for side in ("TARGET", "BUILD") for part in ("PLATFORM", "ARCH", "VARIANT", "OS"))
_NAME = re.compile(r"(?:TARGET|BUILD)(?:PLATFORM|ARCH|VARIANT|OS)\b")
_EXPANSION = re.compile(r"\$\{?((?:TARGET|BUILD)(?:PLATFORM|ARCH|VARIANT|OS))\b")
_FALLBACK = re.compile(r"\$\{\w+:?[-=](.*)\}", re.DOTALL)
_SET_ELSEWHERE = re.compile(r"(?:^|[;&|\n({]|\b(?:then|do|else|if)\b)\s*(?:\.|source|eval|read)\s+[^\s&|;]")
_LOOP = re.compile(r"\bfor\s+(\w+)")
_EXPANDING = frozenset(
    {"ADD", "ARG", "COPY", "ENV", "EXPOSE", "LABEL", "RUN", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR"}
)


class Weight(IntEnum):
    """How much hangs on a value: it is shown, it describes something (or has a stand-in), something is made by it."""

    SHOWN = 0
    DESCRIBED = 1
    USED = 2


@dataclass(frozen=True, slots=True)
class Expansion:
    """`$NAME` of a platform argument in an instruction of a stage."""

    name: str
    word: Word
    instruction: Instruction
    position: int
    weight: Weight


def undeclared(context: Context, stage: int) -> Iterator[Expansion]:
    """Expansions in a stage whose variables nothing above them sets."""
    resolved = next(iter(context.staging.surveys.values())).stages[stage]
    for one in _expansions(context, resolved):
        if not resolved.scope.is_declared(one.name, before=one.position):
            yield one


def _expansions(context: Context, resolved: ResolvedStage) -> Iterator[Expansion]:
    index = resolved.stage.index
    texts = [run for run in (*context.runs, *context.scripts) if run.stage == index and not run.is_start]
    runs: dict[int, list[Run]] = {}
    for run in texts:
        if _NAME.search(run.source.text):
            runs.setdefault(id(run.instruction), []).append(run)
    on_target = context.staging.roles[index].side is Side.TARGET
    for position, instruction in enumerate(resolved.executed):
        if instruction.keyword in _EXPANDING and _NAME.search(instruction.raw):
            yield from _in_words(instruction, position)
        for run in runs.get(id(instruction), ()):
            found = _in_shell(run, instruction, position, on_target=on_target)
            yield from _in_script(instruction, found) if run.path else found


def _in_script(instruction: Instruction, found: Iterator[Expansion]) -> Iterator[Expansion]:
    """What a script expands is declared where it is called; a value that is passed there counts."""
    indent = len(instruction.raw) - len(instruction.raw.lstrip())
    start = indent + 1
    word = Word(instruction.keyword, instruction.line, start, instruction.line, start + len(instruction.keyword))
    for one in found:
        if f"{one.name}=" not in instruction.raw:
            yield Expansion(one.name, word, instruction, one.position, one.weight)


def _in_words(instruction: Instruction, position: int) -> Iterator[Expansion]:
    """In words that BuildKit expands by itself, and in heredocs whose name has no quotes."""
    for word, weight in _words(instruction):
        for match in _EXPANSION.finditer(word.text):
            if not _is_quoted(word.text, match.start()):
                yield Expansion(match[1], _part(word, match), instruction, position, weight)
    for heredoc in instruction.heredocs if instruction.keyword in {"ADD", "COPY"} else ():
        for match in _EXPANSION.finditer(heredoc.body.text) if heredoc.expand else ():
            yield Expansion(match[1], heredoc.body.word(*match.span()), instruction, position, Weight.USED)


def _words(instruction: Instruction) -> Iterator[tuple[Word, Weight]]:
    """The words that BuildKit expands; those of a RUN are the shell's, its mounts are BuildKit's."""
    described = instruction.keyword in {"LABEL", "RUN"}
    weight = Weight.DESCRIBED if described else Weight.USED
    for word in instruction.words if instruction.keyword != "RUN" else ():
        yield word, weight
    for flag in instruction.flags:
        yield flag.word, weight


def _is_quoted(text: str, at: int) -> bool:
    """Whether single quotes or an escape keep an expansion from happening."""
    return (text[:at].count("'") % 2 == 1 and '"' not in text) or (at > 0 and text[at - 1] == "\\")


def _part(word: Word, match: re.Match[str]) -> Word:
    """The expansion inside a word that stands on one line; else the word."""
    if word.line != word.end_line or len(word.text) != word.end_column - word.column:
        return word
    column = word.column + match.start()
    return Word(match[0], word.line, column, word.line, column + len(match[0]))


def _in_shell(run: Run, instruction: Instruction, position: int, *, on_target: bool) -> Iterator[Expansion]:
    text = run.source.text
    if run.language is not Language.SHELL or not _EXPANSION.search(text) or _SET_ELSEWHERE.search(text):
        return
    shown = _shown(run) if re.search(r"\b(?:echo|printf)\b", text) else frozenset()
    native = _given_to_go(run) if on_target else frozenset()
    looped = frozenset(_LOOP.findall(text))
    for reference in references_of(run):
        if reference.name not in NAMES or reference.is_assigned or _has_real_fallback(reference.word.text):
            continue
        if reference.name in looped:
            continue
        place = (reference.word.line, reference.word.column)
        weight = Weight.SHOWN if place in shown else Weight.DESCRIBED if place in native else Weight.USED
        yield Expansion(reference.name, reference.word, instruction, position, weight)


def _has_real_fallback(text: str) -> bool:
    """Whether another value stands in that depends on the machine, or that the author gave for the unset case."""
    match = _FALLBACK.match(text)
    return match is not None and ("$" in match[1] or "`" in match[1])


def _given_to_go(run: Run) -> frozenset[tuple[int, int]]:
    """The places of `$TARGETARCH` in `GOARCH=$TARGETARCH`: where it is empty, Go compiles for its own machine."""
    pattern = r"\bGO(?:ARCH|OS|ARM)=[\"']?(\$\{?TARGET\w+)"
    return frozenset(run.source.position(match.start(1)) for match in re.finditer(pattern, run.source.text))


def _shown(run: Run) -> frozenset[tuple[int, int]]:
    """The places of expansions in what `echo` and `printf` write to the log."""
    places: set[tuple[int, int]] = set()
    for match in re.finditer(r"\b(?:echo|printf)\b(?P<rest>[^\n;&|>]*)(?P<end>.?)", run.source.text):
        if match["end"] in {">", "|"}:
            continue
        start = match.start("rest")
        for one in re.finditer(r"\$\{?\w+", match["rest"]):
            places.add(run.source.position(start + one.start()))
    return frozenset(places)
