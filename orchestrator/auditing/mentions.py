"""Finds the words of a file that name an architecture: in commands, and in the other instructions of a Dockerfile."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from orchestrator.auditing.architectures import Name, names
from orchestrator.auditing.call import Call, calls_of
from orchestrator.auditing.mention import Mention, Role, serves_all, strong_names, wrong_for, wrong_names
from orchestrator.auditing.runs import Language, Run
from orchestrator.auditing.shell.machine import UNKNOWN
from orchestrator.auditing.shell.places import Place, Position, places
from orchestrator.auditing.shell.state import Trace
from orchestrator.auditing.shell.syntax import Variable, Word
from orchestrator.auditing.shell.words import word_of
from orchestrator.auditing.stages import StageView
from orchestrator.core.finding import Confidence
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.instruction import Instruction
from orchestrator.dockerfile.lexer import ExpansionError, expand
from orchestrator.dockerfile.scope import AUTOMATIC
from orchestrator.dockerfile.source import SourceText
from orchestrator.dockerfile.source import Word as SourceWord

_ENV_WORD = re.compile(r"([A-Za-z_]\w*)=")
_ROLES = {
    Position.WORD: Role.ARGUMENT,
    Position.ASSIGNED: Role.VARIABLE,
    Position.TARGET: Role.TARGET,
    Position.HEREDOC: Role.TEXT,
    Position.LISTED: Role.LIST,
    Position.FALLBACK: Role.FALLBACK,
    Position.BROKEN: Role.LOOSE,
}


def run_mentions(run: Run, platforms: tuple[Platform, ...]) -> Iterator[Mention]:
    """The words of one shell text."""
    traces = run.traces
    scripts = {one for trace in traces.values() for one in trace.scripts}
    calls = {id(call.command): call for call in calls_of(run)}
    for place in _all_places(run):
        word = place.word
        if not word.names or id(word) in scripts or place.position is Position.COMPARED:
            continue
        live = tuple(platform for platform, trace in traces.items() if _counts(word, trace))
        call = calls.get(id(place.command))
        mention = _mention(run, place, live, call)
        if mention is None or _is_paired(mention, platforms):
            continue
        if mention.call is None or not _is_for_other_system(mention, mention.call.environment.get("GOOS", "")):
            yield from _by_line(mention) if mention.role is Role.TEXT else (mention,)


def _counts(word: Word, trace: Trace) -> bool:
    """Whether a platform meets the word, and does not set another value before it reads the variable."""
    return id(word) in trace.words and id(word) not in trace.replaced


def _all_places(run: Run) -> Iterator[Place]:
    yield from places(run.block)
    for block in list(run.inner.values()):
        yield from places(block)


def _is_paired(mention: Mention, platforms: tuple[Platform, ...]) -> bool:
    if mention.is_guarded or mention.role is Role.TEXT:
        return False
    return serves_all(mention.text, platforms)


def _mention(run: Run, place: Place, live: tuple[Platform, ...], call: Call | None) -> Mention | None:
    word, text = place.word, run.source.text[place.word.start : place.word.end]
    role = _role(place, call)
    found = wrong_names(strong_names(word.names, text, _holds_value(role) or _prints(place)), live)
    if not found:
        return None
    wrong = wrong_for(found, live)
    value, index = _value(call, place, wrong[0], text)
    unsure = run.language is Language.WORDS or place.position is Position.BROKEN
    return Mention(
        role=role,
        text=text,
        value=value,
        names=found,
        live=live,
        wrong_on=wrong,
        source=run.source,
        start=word.start,
        end=word.end,
        path=run.path,
        stage=run.stage,
        instruction=run.instruction,
        call=call,
        program=call.name if call is not None else "",
        index=index,
        variable=place.assignment.name if place.assignment else _given_to_env(place) if role is Role.VARIABLE else "",
        is_printed=_prints(place),
        is_guarded=len(live) < len(run.outside),
        confidence=Confidence.LOW if unsure else Confidence.HIGH,
    )


def _prints(place: Place) -> bool:
    """Whether `echo` or `printf` makes a value of the word: `$(echo arm64)`."""
    words = place.command.words if place.command is not None else ()
    return place.printed and bool(words) and words[0].literal in {"echo", "printf"}


def _holds_value(role: Role) -> bool:
    return role in {Role.VARIABLE, Role.ENV, Role.ARG, Role.FALLBACK}


def _role(place: Place, call: Call | None) -> Role:
    if place.position is not Position.WORD or call is None or place.index > call.first:
        return _ROLES[place.position]
    return Role.VARIABLE if _given_to_env(place) else Role.PROGRAM


def _given_to_env(place: Place) -> str:
    """The variable of `env NAME=value program`."""
    match = _ENV_WORD.match(place.word.literal)
    return match[1] if match and place.index else ""


def _value(call: Call | None, place: Place, platform: Platform, text: str) -> tuple[str, int]:
    """The word after expansion, and its number behind the program."""
    if call is None or place.position not in {Position.WORD, Position.FALLBACK}:
        return text.strip("\"'"), 0
    visit = call.visits.get(platform, call.visit)
    index = place.index - call.first - 1
    value = visit.values[place.index] if place.index < len(visit.values) else text
    return value, index


def instruction_mentions(view: StageView, instruction: Instruction) -> Iterator[Mention]:
    """The words of ENV, ARG, COPY, ADD, WORKDIR and the like."""
    for role, one, variable in _words(instruction):
        if names(one.text):
            mention = word_mention(one, role, view.platforms, variable)
            if mention is not None and not _is_env_for_other_system(view, instruction, mention):
                value = expanded_word(view, instruction, one, mention.wrong_on[0])
                yield replace(mention, stage=view.stage.index, instruction=instruction, value=value)


def _is_env_for_other_system(view: StageView, instruction: Instruction, mention: Mention) -> bool:
    if mention.variable != "GOARCH":
        return False
    platform = mention.wrong_on[0]
    position = view.positions[platform].get(id(instruction), -1)
    return _is_for_other_system(mention, view.resolved[platform].scope.lookup("GOOS", before=position + 1).value)


def _is_for_other_system(mention: Mention, system: str) -> bool:
    """Go compiles for macOS or Windows: a file to hand out, not one that the image runs."""
    names_go = mention.variable == "GOARCH" or "GOARCH" in mention.text
    given = [one[5:] for one in mention.call_arguments if one.startswith("GOOS=")] or [system]
    return names_go and any(one and one != "linux" and UNKNOWN not in one for one in given)


def _by_line(mention: Mention) -> Iterator[Mention]:
    """A text of several lines is one mention for each line that names an architecture."""
    offset = mention.start
    for line in mention.text.splitlines(keepends=True):
        end = offset + len(line)
        found = tuple(name for name in mention.names if offset <= name.start < end)
        if found:
            text = line.strip()
            yield replace(mention, names=found, text=line, value=text, start=offset, end=end)
        offset = end


def argument_mentions(instructions: Iterable[Instruction], platforms: tuple[Platform, ...]) -> Iterator[Mention]:
    """The words of ARG before the first FROM."""
    for instruction in instructions:
        for role, one, variable in _words(instruction):
            mention = word_mention(one, role, platforms, variable)
            if mention is not None:
                yield replace(mention, instruction=instruction)


def word_mention(word: SourceWord, role: Role, platforms: tuple[Platform, ...], variable: str) -> Mention | None:
    """A word of an instruction, if it names an architecture that a platform does not have."""
    parsed = word_of(word.text, 0)
    found = wrong_names(strong_names(_all_names(parsed), word.text, _holds_value(role)), platforms)
    if not found or serves_all(word.text, platforms):
        return None
    return Mention(
        role=role,
        text=word.text,
        value=word.text.strip("\"'"),
        names=found,
        live=platforms,
        wrong_on=wrong_for(found, platforms),
        source=SourceText(word.text, (0,), ((word.line, word.column),)),
        start=0,
        end=len(word.text),
        variable=variable,
    )


def _all_names(word: Word) -> tuple[Name, ...]:
    """Names in the literal parts, and in fallbacks of variables that BuildKit does not set."""
    found = list(word.names)
    for part in word.parts:
        if isinstance(part, Variable) and part.name not in AUTOMATIC:
            for argument in part.arguments if part.operator.lstrip(":")[:1] == "-" else ():
                found += argument.names
    return tuple(sorted(found, key=lambda name: name.start))


def _words(instruction: Instruction) -> Iterator[tuple[Role, SourceWord, str]]:
    match instruction.keyword:
        case "ENV" | "ARG":
            role = Role.ENV if instruction.keyword == "ENV" else Role.ARG
            for one in instruction.assignments:
                if one.value is not None and not (role is Role.ARG and one.name in AUTOMATIC):
                    yield role, one.value, one.name
        case "COPY" | "ADD":
            heredocs = len(instruction.heredocs)
            for word in instruction.words[heredocs:-1]:
                yield Role.SOURCE, word, ""
            if instruction.words:
                yield Role.DESTINATION, instruction.words[-1], ""
        case "WORKDIR" if instruction.words:
            yield Role.DIRECTORY, instruction.words[0], ""
        case _:
            pass


def expanded_word(view: StageView, instruction: Instruction, word: SourceWord, platform: Platform) -> str:
    """A word of an instruction with its variables expanded, as far as they are known."""
    try:
        return expand(word.text, view.outside(instruction, platform), "\\").text
    except ExpansionError:
        return word.text
