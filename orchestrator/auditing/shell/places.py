"""Every word of a shell text with its place in the structure, found without running anything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from orchestrator.auditing.shell.syntax import (
    Assignment,
    Block,
    Broken,
    Case,
    Chain,
    Command,
    Function,
    Group,
    If,
    Loop,
    Negation,
    Node,
    Output,
    Pipeline,
    Redirect,
    Test,
    Variable,
    Word,
)


class Position(StrEnum):
    """What a word is in its command."""

    WORD = "word"
    ASSIGNED = "assigned"
    TARGET = "target"
    HEREDOC = "heredoc"
    LISTED = "listed"
    FALLBACK = "fallback"
    COMPARED = "compared"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Place:
    """A word, the command that it belongs to (none: a list of a loop, or a pattern) and its number in it."""

    word: Word
    position: Position
    command: Command | None = None
    index: int = 0
    assignment: Assignment | None = None
    printed: bool = False


def places(block: Block, *, printed: bool = False) -> Iterator[Place]:
    """All words, outer ones first; `printed` says that what the commands print becomes a value."""
    for node in block:
        yield from _node(node, printed)


def _node(node: Node, printed: bool) -> Iterator[Place]:
    match node:
        case Command():
            yield from _command(node, printed)
        case If() | Case() | Loop():
            yield from _branching(node, printed)
        case Test(items=items):
            for item in items:
                if isinstance(item, Word):
                    yield from _word(Place(item, Position.COMPARED))
        case Broken(words=words):
            for word in words:
                yield from _word(Place(word, Position.BROKEN))
        case _:
            yield from _inner(node, printed)


def _branching(node: If | Case | Loop, printed: bool) -> Iterator[Place]:
    match node:
        case If(branches=branches, otherwise=otherwise):
            for condition, body in branches:
                yield from places((*condition, *body), printed=printed)
            yield from places(otherwise, printed=printed)
        case Case(subject=subject, arms=arms):
            for word in (subject, *(pattern for arm in arms for pattern in arm.patterns)):
                yield from _word(Place(word, Position.COMPARED))
            for arm in arms:
                yield from places(arm.body, printed=printed)
        case Loop(values=values, condition=condition, body=body):
            for index, word in enumerate(values):
                yield from _word(Place(word, Position.LISTED, index=index))
            yield from places((*condition, *body), printed=printed)


def _inner(node: Node, printed: bool) -> Iterator[Place]:
    match node:
        case Chain(first=first, rest=rest):
            yield from places((first, *(one for _, one in rest)), printed=printed)
        case Pipeline(stages=stages):
            yield from places(stages, printed=printed)
        case Negation(node=inner):
            yield from _node(inner, printed)
        case Function(body=body):
            yield from places(body, printed=printed)
        case Group(body=body, redirects=redirects):
            yield from places(body, printed=printed)
            yield from _redirects(redirects, None)
        case _:
            pass


def _command(node: Command, printed: bool) -> Iterator[Place]:
    for assignment in node.assignments:
        yield from _word(Place(assignment.word, Position.ASSIGNED, node, assignment=assignment))
        for key, word in assignment.entries:
            position = Position.COMPARED if key.parts else Position.ASSIGNED
            yield from _word(Place(word, position, node, assignment=assignment))
    for index, word in enumerate(node.words):
        yield from _word(Place(word, Position.WORD, node, index, printed=printed))
    yield from _redirects(node.redirects, node)


def _redirects(redirects: tuple[Redirect, ...], node: Command | None) -> Iterator[Place]:
    for redirect in redirects:
        is_body = redirect.operator.startswith("<<")
        yield from _word(Place(redirect.word, Position.HEREDOC if is_body else Position.TARGET, node))


def _word(place: Place) -> Iterator[Place]:
    yield place
    for part in place.word.parts:
        if isinstance(part, Output):
            yield from places(part.block, printed=True)
        elif isinstance(part, Variable):
            for word in part.arguments:
                position = Position.FALLBACK if part.operator.lstrip(":")[:1] in {"-", "="} else Position.COMPARED
                yield from _word(Place(word, position, place.command, place.index, place.assignment))
