"""Walks through a shell text as it would run on one platform: which commands are reached, and with which words.

What the platform decides (`uname -m`, TARGETARCH and what is made of them) is followed exactly. Where something else
decides, both ways are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from orchestrator.auditing.shell.branches import run_case, run_if, run_loop
from orchestrator.auditing.shell.commands import run_command
from orchestrator.auditing.shell.conditions import both, either, test
from orchestrator.auditing.shell.convert import script
from orchestrator.auditing.shell.expansion import value
from orchestrator.auditing.shell.machine import UNKNOWN, Machine
from orchestrator.auditing.shell.state import Layer, State, Status, Trace
from orchestrator.auditing.shell.syntax import (
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
    Pipeline,
    Test,
)

MOST_STEPS = 60_000
"""Commands that are walked through at most, calls of functions included."""
_DEEPEST_CALL = 5


@dataclass(slots=True)
class Evaluator:
    """One walk. `outside` gives variables that were set before the text runs, None for those that were not."""

    text: str
    machine: Machine
    outside: Callable[[str], str | None]
    inner: dict[int, Block]
    trace: Trace = field(default_factory=Trace)
    state: State = field(default_factory=State)
    outputs: list[list[str]] = field(default_factory=list)
    stdin: str = UNKNOWN
    upstream: tuple[str, ...] = ()
    downstream: tuple[str, ...] = ()
    ended: bool = False
    steps: int = 0
    arguments: tuple[str, ...] = ()
    called: set[str] = field(default_factory=set)
    depth: int = 0

    def run(self, block: Block) -> Status:
        """Run commands one after the other; the status of the last one."""
        status = Status.MAYBE
        for node in block:
            if self.ended or self.steps > MOST_STEPS:
                break
            self.steps += 1
            status = self.run_node(node)
        return status

    def run_node(self, node: Node) -> Status:
        """Run one command."""
        return _RUN[type(node)](self, node)

    def broken(self, node: Broken) -> Status:
        """Words that the grammar does not take."""
        for word in node.words:
            value(self, word)
        return Status.MAYBE

    def chain(self, node: Chain) -> Status:
        """`&&` and `||`."""
        status = self.run_node(node.first)
        for operator, following in node.rest:
            if self.ended:
                break
            self.steps += 1
            if operator == "&&" and status is not Status.NO:
                result = self._behind_and(status, following)
                status = status if status is Status.YES and result is Status.MAYBE else both(status, result)
            elif operator == "||" and status is not Status.YES:
                status = self._otherwise(status, following)
        return status

    def _behind_and(self, status: Status, node: Node) -> Status:
        """The right side of `&&`: an `exit` there ends the text only where the left side is sure."""
        result = self.run_node(node)
        if status is not Status.YES:
            self.ended = False
        return result

    def _otherwise(self, status: Status, node: Node) -> Status:
        """The right side of `||`: it runs for sure where the left one fails for sure."""
        if status is Status.NO:
            return self.run_node(node)
        with self.layer() as changes:
            result = self.run_node(node)
            ended = self.ended
        if not ended:
            self.state.join([Layer(), changes])
        return either(status, result)

    def pipeline(self, node: Pipeline) -> Status:
        """Each stage reads what the one before prints."""
        status, stdin, upstream, downstream = Status.MAYBE, self.stdin, self.upstream, self.downstream
        programs = tuple(_program(stage) for stage in node.stages)
        text = self.stdin
        for index, stage in enumerate(node.stages):
            is_last = index == len(node.stages) - 1
            self.stdin = text
            self.upstream, self.downstream = (*upstream, *programs[:index]), (*programs[index + 1 :], *downstream)
            with self.layer():
                if is_last:
                    status = self.run_node(stage)
                else:
                    text = self.captured(lambda stage=stage: self.run_node(stage))  # type: ignore[misc]
        self.stdin, self.upstream, self.downstream = stdin, upstream, downstream
        return status

    @contextmanager
    def layer(self) -> Iterator[Layer]:
        """Changes of variables, and `exit`, stay inside; the changes are given out."""
        ended = self.ended
        changes = Layer()
        self.state.layers.append(changes)
        try:
            yield changes
        finally:
            self.state.layers.pop()
            self.ended = ended

    def captured(self, action: Callable[[], object]) -> str:
        """What an action prints, without line ends behind it."""
        self.outputs.append([])
        action()
        return "".join(self.outputs.pop()).rstrip("\n")

    def capture(self, block: Block) -> str:
        """`$(…)`."""
        with self.layer():
            return self.captured(lambda: self.run(block))

    def emit(self, text: str) -> None:
        """Print, where somebody reads it."""
        if self.outputs:
            self.outputs[-1].append(text)

    def test(self, node: Test) -> Status:
        """`[ … ]` and `[[ … ]]`."""
        return test(self, node.items, node.start, patterns=self.text.startswith("[[", node.start))

    def negation(self, node: Negation) -> Status:
        """`! …`."""
        return self.run_node(node.node).opposite

    def define(self, node: Function) -> Status:
        """Remember a function."""
        self.state.top.functions[node.name] = node.body
        return Status.YES

    def group(self, node: Group) -> Status:
        """`{ … }` and `( … )`."""
        if not node.is_subshell:
            return self.run(node.body)
        with self.layer():
            return self.run(node.body)

    def lookup(self, name: str, *, quietly: bool = False) -> str | None:
        """A variable's value; None where it is not set, UNKNOWN where nobody can know."""
        if name.isdigit() and self.depth:
            number = int(name) if len(name) < 4 else 0
            return self.arguments[number - 1] if 0 < number <= len(self.arguments) else UNKNOWN
        found = self.state.get(name)
        if found is not None:
            self.trace.read |= self.state.definitions(name)
            return found
        found = self.outside(name)
        if found is None and not quietly:
            for node in self.state.skipped(name):
                self.trace.missing.setdefault(id(node), (node, name))
        return found

    def run_uncalled(self) -> None:
        """Run the functions that nothing called: another text may."""
        for name, body in list(self.state.top.functions.items()):
            if name not in self.called:
                self.ended = False
                self.call(name, body, ())

    def call(self, name: str, body: Block, values: tuple[str, ...]) -> Status:
        """Run a function that the text defines."""
        if self.depth >= _DEEPEST_CALL:
            return Status.MAYBE
        self.called.add(name)
        before, self.arguments = self.arguments, values
        self.depth += 1
        status = self.run(body)
        self.depth -= 1
        self.arguments = before
        return status

    def nested(self, start: int, end: int) -> Status:
        """Run a part of the text that is itself a shell text, such as the argument of `sh -c`."""
        if self.depth >= _DEEPEST_CALL:
            return Status.MAYBE
        if start not in self.inner:
            self.inner[start] = script(self.text, start, end)
        self.depth += 1
        status = self.run(self.inner[start])
        self.depth -= 1
        return status


def _program(node: Node) -> str:
    """The program of a stage of a pipeline, as written."""
    return node.words[0].literal if isinstance(node, Command) and node.words else ""


_RUN: dict[type[Node], Callable[[Evaluator, Any], Status]] = {
    Command: run_command,
    Chain: Evaluator.chain,
    Pipeline: Evaluator.pipeline,
    Test: Evaluator.test,
    If: run_if,
    Case: run_case,
    Loop: run_loop,
    Group: Evaluator.group,
    Negation: Evaluator.negation,
    Function: Evaluator.define,
    Broken: Evaluator.broken,
}
