"""What a word becomes on a platform."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orchestrator.auditing.architectures import names, runs_on
from orchestrator.auditing.shell.machine import UNKNOWN
from orchestrator.auditing.shell.rewrite import expanded
from orchestrator.auditing.shell.syntax import Literal, Output, Part, Variable, Word

if TYPE_CHECKING:
    from orchestrator.auditing.shell.evaluate import Evaluator

LONGEST = 4096
"""Characters of the longest value that is kept."""
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED_QUOTED = re.compile(r"\\([\"$`\\])")


def value(evaluator: Evaluator, word: Word) -> str:
    """The word after expansion; a part that nobody can know is UNKNOWN. Notes the word as reached."""
    if word.names:
        evaluator.trace.words.add(id(word))
    if len(word.parts) == 1:
        text = _part(evaluator, word.parts[0])
    else:
        text = "".join(_part(evaluator, part) for part in word.parts)
    return text if len(text) <= LONGEST else UNKNOWN


def _part(evaluator: Evaluator, part: Part) -> str:
    match part:
        case Literal(text=text, quote=quote):
            return text if "\\" not in text else _unescaped(text, quote)
        case Variable():
            return _variable(evaluator, part)
        case Output():
            captured = evaluator.capture(part.block)
            return UNKNOWN if part.is_file else captured
        case _:
            return UNKNOWN


def _unescaped(text: str, quote: str) -> str:
    match quote:
        case "'":
            return text
        case '"':
            return _ESCAPED_QUOTED.sub(r"\1", text)
        case _:
            return _ESCAPED.sub(r"\1", text.replace("\\\n", ""))


def _variable(evaluator: Evaluator, part: Variable) -> str:
    if part.key:
        return _element(evaluator, part)
    known = evaluator.lookup(part.name, quietly=bool(part.operator))
    operator = part.operator
    if not operator:
        return UNKNOWN if known is None else known
    if operator.lstrip(":")[:1] in {"-", "=", "?", "+"}:
        return _with_fallback(evaluator, part, known)
    if operator == ":":
        return UNKNOWN
    arguments = tuple(plain(evaluator, one) for one in part.arguments)
    return expanded(UNKNOWN if known is None else known, operator, arguments)


def _with_fallback(evaluator: Evaluator, part: Variable, known: str | None) -> str:
    """`${NAME:-…}`: the word behind it counts where the variable is unset, or may be."""
    operator = part.operator.lstrip(":")[:1]
    is_set = bool(known)
    if operator == "+":
        return value(evaluator, part.arguments[0]) if part.arguments and is_set else ""
    if is_set or operator == "?" or not part.arguments:
        return known or UNKNOWN
    fallback = repaired(value(evaluator, part.arguments[0]), part.arguments[0], evaluator.machine.family)
    if operator == "=":
        evaluator.state.assign(part.name, fallback)
    return fallback


def _element(evaluator: Evaluator, part: Variable) -> str:
    key = value(evaluator, part.key[0]).strip("\"'")
    entries = evaluator.state.array(part.name)
    if entries is None or UNKNOWN in key or key in {"@", "*"}:
        return UNKNOWN
    if key not in entries and any(names(one) for one in entries):
        evaluator.trace.holes.append(part)
    found = entries.get(key, UNKNOWN)
    return found if not part.operator else UNKNOWN


def plain(evaluator: Evaluator, word: Word) -> str:
    """The value of a word that is compared or searched for, which does not count as reached."""
    before = id(word) in evaluator.trace.words
    text = value(evaluator, word)
    if not before:
        evaluator.trace.words.discard(id(word))
    return text


def repaired(text: str, word: Word, family: str) -> str:
    """A value whose literal names another architecture, with that name unknown: the definition is the cause."""
    if not any(not runs_on(name.family, family) for name in word.names):
        return text
    return without_wrong_names(text, family)


def without_wrong_names(text: str, family: str) -> str:
    """A text in which names of other architectures are unknown: somebody sets them right, and then they fit."""
    pieces, at = [], 0
    for name in names(text):
        if not runs_on(name.family, family):
            pieces += [text[at : name.start], UNKNOWN]
            at = name.end
    return "".join([*pieces, text[at:]])
