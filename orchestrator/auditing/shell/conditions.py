"""Tests: which way `[ … ]`, `[[ … ]]`, `test` and the patterns of `case` go on a platform."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.auditing.architectures import ARM, ARM64, names, word_name
from orchestrator.auditing.shell.expansion import plain
from orchestrator.auditing.shell.machine import UNKNOWN
from orchestrator.auditing.shell.patterns import LONGEST_TEXT, expression, glob
from orchestrator.auditing.shell.state import Mismatch, Status
from orchestrator.auditing.shell.syntax import Literal, Word

if TYPE_CHECKING:
    from orchestrator.auditing.shell.evaluate import Evaluator

_BINARY = frozenset({"=", "==", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-ef", "-nt", "-ot", "<", ">"})
_DEEPEST = 20
Item = Word | str


def test(evaluator: Evaluator, items: tuple[Item, ...], statement: int, *, patterns: bool) -> Status:
    """A test; `patterns` tells whether the right side of `==` is a pattern, as in `[[ … ]]`."""
    return _Reader(evaluator, items, statement, patterns).alternatives(0)


def command_items(words: tuple[Word, ...]) -> tuple[Item, ...]:
    """The words behind `test`, with operators as text."""
    return tuple(_operator(word) for word in words)


def _operator(word: Word) -> Item:
    text = word.parts[0].text if len(word.parts) == 1 and isinstance(word.parts[0], Literal) else ""
    is_operator = text in _BINARY or text in {"!", "(", ")"} or (text[:1] == "-" and len(text) == 2)
    return text.replace("\\", "") if is_operator else word


@dataclass(slots=True)
class _Reader:
    evaluator: Evaluator
    items: tuple[Item, ...]
    statement: int
    patterns: bool
    at: int = 0

    def peek(self, ahead: int = 0) -> Item | None:
        place = self.at + ahead
        return self.items[place] if place < len(self.items) else None

    def alternatives(self, depth: int) -> Status:
        status = self.conjunction(depth)
        while self.peek() in {"||", "-o"}:
            self.at += 1
            status = either(status, self.conjunction(depth))
        return status

    def conjunction(self, depth: int) -> Status:
        status = self.negated(depth)
        while self.peek() in {"&&", "-a"}:
            self.at += 1
            status = both(status, self.negated(depth))
        return status

    def negated(self, depth: int) -> Status:
        if depth > _DEEPEST:
            self.at = len(self.items)
            return Status.MAYBE
        if self.peek() == "!":
            self.at += 1
            return self.negated(depth + 1).opposite
        if self.peek() == "(":
            self.at += 1
            status = self.alternatives(depth + 1)
            self.at += self.peek() == ")"
            return status
        return self.primary()

    def primary(self) -> Status:
        first, operator, second = self.peek(), self.peek(1), self.peek(2)
        if isinstance(first, str):
            self.at += 2 if isinstance(operator, Word) else 1
            return self.unary(first, operator) if isinstance(operator, Word) else Status.MAYBE
        if first is None:
            return Status.MAYBE
        if isinstance(operator, str) and operator in _BINARY:
            self.at += 3
            return self.binary(first, operator, second) if isinstance(second, Word) else Status.MAYBE
        self.at += 1
        return self.filled(first)

    def filled(self, word: Word) -> Status:
        text = plain(self.evaluator, word)
        if UNKNOWN in text:
            return Status.MAYBE
        return Status.YES if text else Status.NO

    def unary(self, operator: str, word: Word) -> Status:
        match operator:
            case "-n":
                return self.filled(word)
            case "-z":
                return self.filled(word).opposite
            case _:
                plain(self.evaluator, word)
                return Status.MAYBE

    def binary(self, left: Word, operator: str, right: Word) -> Status:
        value, wanted = plain(self.evaluator, left), plain(self.evaluator, right)
        match operator:
            case "=" | "==":
                return compare(self.evaluator, value, right, wanted, self.statement, is_glob=self.patterns)
            case "!=":
                status = compare(self.evaluator, value, right, wanted, self.statement, is_glob=self.patterns)
                return status.opposite
            case "=~":
                return searched(self.evaluator, value, wanted, extended=True)
            case _:
                return Status.MAYBE


def both(one: Status, other: Status) -> Status:
    """`&&`."""
    if Status.NO in {one, other}:
        return Status.NO
    return Status.YES if one is other is Status.YES else Status.MAYBE


def either(one: Status, other: Status) -> Status:
    """`||`."""
    return both(one.opposite, other.opposite).opposite


def compare(evaluator: Evaluator, value: str, pattern: Word, wanted: str, statement: int, *, is_glob: bool) -> Status:
    """Whether a value is what a test or a `case` arm wants.

    An unknown value that is compared with the name of an architecture is taken for the platform's own name.
    """
    family = evaluator.machine.family
    if UNKNOWN not in value and UNKNOWN not in wanted:
        if _matches(value, wanted, is_glob=is_glob):
            evaluator.trace.matched.add(statement)
            return Status.YES
        if _names_family(wanted, family) and word_name(value) == family:
            evaluator.trace.mismatches.append(Mismatch(pattern, value, statement))
            return Status.YES
        return Status.NO
    return _by_family(value, wanted, family)


def _matches(value: str, wanted: str, *, is_glob: bool) -> bool:
    if value == wanted:
        return True
    return is_glob and len(value) <= LONGEST_TEXT and bool(glob(wanted).fullmatch(value))


def _names_family(wanted: str, family: str) -> bool:
    return word_name(wanted.strip("*")) == family


def _by_family(value: str, wanted: str, family: str) -> Status:
    """One side is unknown: the other decides by the architectures that it names."""
    named = {name.family for text in (value, wanted) for name in names(text)}
    if not named:
        return Status.MAYBE
    if family == ARM64 and ARM in named and any(sign in wanted for sign in "*^.|"):
        return Status.YES
    return Status.YES if family in named else Status.NO


def searched(evaluator: Evaluator, value: str, wanted: str, *, extended: bool) -> Status:
    """Whether a regular expression is found in a value."""
    if UNKNOWN not in value and UNKNOWN not in wanted and len(value) <= LONGEST_TEXT:
        found = expression(wanted, extended=extended).search(value)
        return Status.YES if found else Status.NO
    return _by_family(value, f"{wanted}*", evaluator.machine.family)
