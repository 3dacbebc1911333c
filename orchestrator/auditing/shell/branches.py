"""`if`, `case` and loops: the way that the platform decides, or all ways where it does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from orchestrator.auditing.architectures import AMD64, names, runs_on
from orchestrator.auditing.shell.conditions import compare, either
from orchestrator.auditing.shell.expansion import plain, value
from orchestrator.auditing.shell.machine import UNKNOWN
from orchestrator.auditing.shell.state import Layer, Status
from orchestrator.auditing.shell.syntax import Arm, Block, Case, Chain, Command, Group, If, Loop, Word

if TYPE_CHECKING:
    from orchestrator.auditing.shell.evaluate import Evaluator


def run_if(evaluator: Evaluator, node: If) -> Status:
    """`if`, `elif`, `else`."""
    ways: list[Layer] = []
    for condition, body in node.branches:
        decided = evaluator.run(condition)
        if decided is Status.NO:
            _skip(evaluator, node, body)
        elif decided is Status.YES:
            return _last(evaluator, body, ways)
        else:
            _way(evaluator, body, ways)
    return _last(evaluator, node.otherwise, ways)


def run_case(evaluator: Evaluator, node: Case) -> Status:
    """`case`: the first arm that matches."""
    subject = plain(evaluator, node.subject)
    ways: list[Layer] = []
    for arm in _ordered(node):
        decided = _matches(evaluator, node, arm, subject)
        if decided is Status.NO:
            _skip(evaluator, node, arm.body)
        elif decided is Status.YES:
            return _last(evaluator, arm.body, ways)
        else:
            _way(evaluator, arm.body, ways)
    if not ways and _enumerates(node) and _leaves_hole(evaluator, node):
        evaluator.trace.unserved.append(node)
    return _last(evaluator, (), ways)


def _ordered(node: Case) -> tuple[Arm, ...]:
    """Arms as written, but `*` behind those that name the platform in other words: one of them is meant."""
    default = [arm for arm in node.arms if any(pattern.literal == "*" for pattern in arm.patterns)]
    return (*(arm for arm in node.arms if arm not in default), *default)


def _matches(evaluator: Evaluator, node: Case, arm: Arm, subject: str) -> Status:
    status = Status.NO
    for pattern in arm.patterns:
        wanted = plain(evaluator, pattern)
        if wanted == "*":
            return Status.YES
        status = either(status, compare(evaluator, subject, pattern, wanted, node.start, is_glob=True))
    return status


def _enumerates(node: Case) -> bool:
    """Whether the arms are architectures, so that a missing one is a hole."""
    return any(names(pattern.literal) for arm in node.arms for pattern in arm.patterns)


def _leaves_hole(evaluator: Evaluator, node: Case) -> bool:
    """Whether an arm sets something that is not set yet, or several arms (or one for amd64) do something else."""
    assigned = [name for arm in node.arms for name in assigned_in(arm.body)]
    if assigned:
        return any(evaluator.state.get(name) is None for name in assigned)
    families = {name.family for arm in node.arms for pattern in arm.patterns for name in names(pattern.literal)}
    return len(node.arms) > 1 or AMD64 in families


def run_loop(evaluator: Evaluator, node: Loop) -> Status:
    """`for`, `while` and `until`: the body once."""
    if node.name:
        evaluator.state.assign(node.name, _element(evaluator, node.values))
    else:
        evaluator.run(node.condition)
    evaluator.run(node.body)
    evaluator.ended = False
    return Status.MAYBE


def _element(evaluator: Evaluator, words: tuple[Word, ...]) -> str:
    """What a loop over architectures holds: the platform's own name, where the list has it."""
    values = [value(evaluator, word) for word in words]
    family = evaluator.machine.family
    own = [one for one in values if any(runs_on(name.family, family) for name in names(one))]
    if own:
        return own[0]
    return values[0] if len(values) == 1 and not set(" \n") & set(values[0]) else UNKNOWN


def _way(evaluator: Evaluator, body: Block, ways: list[Layer]) -> Status:
    """Take a way that may or may not be taken, and go on from before it."""
    with evaluator.layer() as changes:
        status = evaluator.run(body)
        if not evaluator.ended:
            ways.append(changes)
    return status


def _last(evaluator: Evaluator, body: Block, ways: list[Layer]) -> Status:
    """The way that is taken where none before it was: for sure, where there was none before it."""
    if not ways:
        return evaluator.run(body)
    status = _way(evaluator, body, ways)
    evaluator.state.join(ways)
    return status


def _skip(evaluator: Evaluator, node: Case | If, body: Block) -> None:
    """Remember the variables that only a branch of other platforms would have set."""
    state = evaluator.state
    for name in assigned_in(body):
        nodes = state.skipped(name)
        if state.get(name) is None and node not in nodes:
            state.top.skipped[name] = (*nodes, node)


def assigned_in(block: Block) -> Iterator[str]:
    """The variables that a block sets, whichever way it goes."""
    for node in block:
        match node:
            case Command(assignments=assignments, words=words):
                yield from (one.name for one in assignments if not words or node.declares)
            case Chain(first=first, rest=rest):
                yield from assigned_in((first, *(one for _, one in rest)))
            case If(branches=branches, otherwise=otherwise):
                yield from assigned_in((*(one for _, body in branches for one in body), *otherwise))
            case Case(arms=arms):
                yield from assigned_in(tuple(one for arm in arms for one in arm.body))
            case Group(body=body) | Loop(body=body):
                yield from assigned_in(body)
            case _:
                pass
