"""Simple commands: what they set, what they end, what they print, and the ones that run other shell text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orchestrator.auditing.shell.conditions import command_items, test
from orchestrator.auditing.shell.expansion import LONGEST, repaired, value
from orchestrator.auditing.shell.machine import UNKNOWN
from orchestrator.auditing.shell.programs import output
from orchestrator.auditing.shell.state import Status, Visit
from orchestrator.auditing.shell.syntax import Assignment, Block, Command, Literal, Redirect, Word

if TYPE_CHECKING:
    from orchestrator.auditing.shell.evaluate import Evaluator

SHELLS = frozenset({"sh", "bash", "ash", "dash", "zsh", "ksh"})
WRAPPERS = frozenset(
    {"sudo", "env", "exec", "command", "builtin", "time", "nice", "nohup", "eatmydata", "stdbuf", "xvfb-run", "gosu",
     "su-exec", "chronic", "ionice", "timeout", "retry", "linux32", "linux64", "setarch", "torsocks", "proxychains"}
)  # fmt: skip
_WRAPPERS_WITH_WORD = frozenset({"gosu", "su-exec", "timeout", "setarch"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_RUNS_TEXT = re.compile(r"-[a-z]*c")
_READS = frozenset({"<", "<<<", "<<", "<<-"})


def run_command(evaluator: Evaluator, command: Command) -> Status:
    """Run one command and tell how it ends."""
    evaluator.trace.reached.add(id(command))
    environment = _assign(evaluator, command)
    if command.declares or not command.words:
        for word in command.words:
            value(evaluator, word)
        _redirect(evaluator, command.redirects)
        return Status.MAYBE
    values = tuple(value(evaluator, word) for word in command.words)
    before = evaluator.stdin
    evaluator.stdin = _redirect(evaluator, command.redirects) or before
    first = program_at(values)
    variables = evaluator.state.environment() | environment
    evaluator.trace.visits.append(
        Visit(
            command,
            values,
            evaluator.stdin,
            variables,
            evaluator.upstream,
            evaluator.downstream,
        )
    )
    status = _run(evaluator, command, values, first)
    evaluator.stdin = before
    return status


def _assign(evaluator: Evaluator, command: Command) -> dict[str, str]:
    """Set variables; those before a program are for it alone, and are given back."""
    environment: dict[str, str] = {}
    for assignment in command.assignments:
        if assignment.entries:
            _assign_array(evaluator, assignment)
            continue
        text = _assigned(evaluator, assignment)
        if command.words and not command.declares:
            environment[assignment.name] = text
        else:
            _set(evaluator, assignment, text)
    return environment


def _set(evaluator: Evaluator, assignment: Assignment, text: str) -> None:
    state = evaluator.state
    before = state.definitions(assignment.name)
    if before and not assignment.appends and len(state.layers) == 1:
        evaluator.trace.replaced |= before - evaluator.trace.read
    definitions = frozenset({id(assignment.word)}) if assignment.word.names else frozenset()
    state.assign(assignment.name, text, definitions | before if assignment.appends else definitions)


def _assigned(evaluator: Evaluator, assignment: Assignment) -> str:
    text = value(evaluator, assignment.word)
    evaluator.trace.assigned.append((assignment, assignment.word, text))
    text = repaired(text, assignment.word, evaluator.machine.family)
    if assignment.appends:
        before = evaluator.lookup(assignment.name, quietly=True)
        text = (UNKNOWN if before is None else before) + text
    return text if len(text) <= LONGEST else UNKNOWN


def _assign_array(evaluator: Evaluator, assignment: Assignment) -> None:
    entries: dict[str, str] = {}
    for key, word in assignment.entries:
        if key.parts:
            entries[key.literal.strip("\"'")] = word.literal.strip("\"'")
        else:
            evaluator.trace.assigned.append((assignment, word, value(evaluator, word)))
    if entries:
        evaluator.state.top.arrays[assignment.name] = entries


def _redirect(evaluator: Evaluator, redirects: tuple[Redirect, ...]) -> str:
    """What the command reads; empty where nothing is redirected to it."""
    stdin = ""
    for redirect in redirects:
        text = value(evaluator, redirect.word)
        if redirect.operator in _READS:
            stdin = text if redirect.operator != "<" else UNKNOWN
    return stdin


def program_at(values: tuple[str, ...]) -> int:
    """Where the program stands behind `sudo`, `env NAME=value` and the like; the length where there is none."""
    at = 0
    while at < len(values) and values[at].rpartition("/")[2] in WRAPPERS:
        wrapper = values[at].rpartition("/")[2]
        at += 1
        while at < len(values) and (values[at].startswith("-") or _ASSIGNMENT.match(values[at])):
            at += 2 if values[at] in {"-u", "-g", "-n", "-k", "-s"} and wrapper != "env" else 1
        if wrapper in _WRAPPERS_WITH_WORD:
            at += 1
    return min(at, len(values))


def _run(evaluator: Evaluator, command: Command, values: tuple[str, ...], first: int) -> Status:
    name = values[first].rpartition("/")[2] if first < len(values) else ""
    arguments = values[first + 1 :]
    match name:
        case "exit" | "return":
            evaluator.ended = True
            return Status.NO if arguments not in {(), ("0",)} else Status.MAYBE
        case "[" | "test":
            return test(evaluator, command_items(command.words[first + 1 :]), command.start, patterns=False)
        case "true" | ":":
            return Status.YES
        case "false":
            return Status.NO
        case "." | "source" | "eval" | "read" | "unset" | "shift":
            _change_variables(evaluator, name, command.words[first + 1 :], arguments)
            return Status.MAYBE
        case _:
            return _run_program(evaluator, command, values, first)


def _run_program(evaluator: Evaluator, command: Command, values: tuple[str, ...], first: int) -> Status:
    name = values[first].rpartition("/")[2] if first < len(values) else ""
    arguments = values[first + 1 :]
    function = evaluator.state.function(name)
    if function is not None:
        return _call(evaluator, name, function, arguments)
    if _run_text(evaluator, command, values, first):
        return Status.MAYBE
    status, text = output(evaluator, name, arguments)
    evaluator.emit(text)
    return status


def _call(evaluator: Evaluator, name: str, body: Block, arguments: tuple[str, ...]) -> Status:
    ended, evaluator.ended = evaluator.ended, False
    status = evaluator.call(name, body, arguments)
    evaluator.ended = ended
    return status


def _change_variables(evaluator: Evaluator, name: str, words: tuple[Word, ...], arguments: tuple[str, ...]) -> None:
    """Commands that set variables to what nobody can know."""
    match name:
        case "read" | "unset":
            for argument in arguments:
                if argument.isidentifier():
                    evaluator.state.assign(argument, UNKNOWN)
        case "shift":
            evaluator.arguments = evaluator.arguments[1:]
        case "eval" if words and _is_plain(words[0]):
            evaluator.trace.scripts.add(id(words[0]))
            evaluator.nested(words[0].start + 1, words[0].end - 1)
        case _:
            evaluator.state.forget_skipped()


def _run_text(evaluator: Evaluator, command: Command, values: tuple[str, ...], first: int) -> bool:
    """`sh -c '…'`, `su -c '…'` and `bash <<EOF`: run the text; tells whether there was one."""
    name = values[first].rpartition("/")[2] if first < len(values) else ""
    words = command.words
    for index in range(first, len(words) - 1):
        program = values[index].rpartition("/")[2]
        if program not in SHELLS and name not in {"su", "runuser", "xargs", "find"} | SHELLS:
            continue
        if _RUNS_TEXT.fullmatch(values[index + 1]) and index + 2 < len(words) and _is_plain(words[index + 2]):
            _nested(evaluator, words[index + 2])
            return True
    if name in SHELLS and all(one.startswith("-") for one in values[first + 1 :]):
        bodies = [one.word for one in command.redirects if one.operator in {"<<", "<<-"}]
        for body in bodies:
            evaluator.trace.scripts.add(id(body))
            evaluator.nested(body.start, body.end)
        return bool(bodies)
    return False


def _nested(evaluator: Evaluator, word: Word) -> None:
    evaluator.trace.scripts.add(id(word))
    with evaluator.layer():
        evaluator.nested(word.start + 1, word.end - 1)


def _is_plain(word: Word) -> bool:
    """Whether a word is one quoted text, so that what is inside can be read as it stands."""
    quotes = {part.quote for part in word.parts if isinstance(part, Literal)}
    return len(quotes) == 1 and quotes <= {"'", '"'} and word.end - word.start > 2
