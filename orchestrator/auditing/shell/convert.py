"""From tree-sitter's tree to ours: the parts that an audit needs, in a form that is quick to walk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from orchestrator.auditing.shell.parser import LARGEST, encoded, parsed
from orchestrator.auditing.shell.parts import EMPTY
from orchestrator.auditing.shell.redirects import RedirectReader
from orchestrator.auditing.shell.syntax import (
    Arm,
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
    Pipeline,
    Redirect,
    Test,
    Word,
)
from orchestrator.auditing.shell.words import append_word, loose_words, word_of

if TYPE_CHECKING:
    from tree_sitter import Node as Raw

_DEEPEST = 40
_OPERATORS = frozenset({"&&", "||", "(", ")", "!", "=", "==", "!=", "=~", "<", ">"})


def script(text: str, start: int = 0, end: int | None = None) -> Block:
    """The commands of a shell text, or of the part of it between two offsets."""
    part = text if end is None else text[start:end]
    if len(part) > LARGEST:
        return (Broken(loose_words(part, start)),)
    content, offsets = encoded(part, start)
    return _Converter(text, offsets, start).block(parsed(content).root_node, 0)


class _Converter(RedirectReader):
    """Statements of one text."""

    def block(self, raw: Raw, depth: int) -> Block:
        """The statements among a node's children."""
        return self.statements(raw.children, depth)

    def statements(self, children: list[Raw], depth: int) -> Block:
        found: list[Node] = []
        for child in children:
            if child.is_named or child.type == "ERROR":
                found += self.statement(child, depth + 1)
        return tuple(found)

    def statement(self, raw: Raw, depth: int) -> list[Node]:
        if depth > _DEEPEST:
            return [self.broken(raw)]
        convert = _STATEMENTS.get(raw.type)
        if convert is not None:
            return [convert(self, raw, depth)]
        if raw.type in {"program", "do_group", "variable_assignments"}:
            return list(self.block(raw, depth))
        if raw.type in {"ERROR", "word", "string", "concatenation", "number"}:
            return [self.broken(raw)]
        return []

    def broken(self, raw: Raw) -> Broken:
        start, end = self.span(raw)
        return Broken(loose_words(self.text[start:end], start))

    def chain(self, raw: Raw, depth: int) -> Node:
        """`a && b || c` is nested to the left as deep as it is long, so it is unrolled."""
        rest: list[tuple[str, Node]] = []
        while raw.type == "list":
            left, operator, right = raw.children[0], raw.children[1].type, raw.children[-1]
            rest += [(operator, one) for one in reversed(self.statement(right, depth + 1))]
            raw = left
        first = self.statement(raw, depth + 1)
        return Chain(first[0] if first else Group((), is_subshell=False), tuple(reversed(rest)))

    def pipeline(self, raw: Raw, depth: int) -> Node:
        return Pipeline(self.block(raw, depth))

    def negation(self, raw: Raw, depth: int) -> Node:
        inner = self.block(raw, depth)
        return Negation(inner[0]) if inner else Group((), is_subshell=False)

    def group(self, raw: Raw, depth: int) -> Node:
        return Group(self.block(raw, depth), raw.type == "subshell")

    def command(self, raw: Raw, depth: int) -> Node:
        words: list[Word] = []
        assignments: list[Assignment] = []
        redirects: list[Redirect] = []
        for child in raw.children:
            if child.type == "variable_assignment":
                assignments.append(self.assignment(child, depth))
            elif child.type.endswith("_redirect"):
                redirects += self.redirect(child, depth)
                words += self.behind_target(child, depth)
            elif child.type == "command_name":
                words += [self.word(one, depth) for one in child.children]
            else:
                append_word(words, self.word(child, depth))
        start, end = self.span(raw)
        declares = raw.type in {"declaration_command", "variable_assignment"}
        return Command(tuple(words), tuple(assignments), tuple(redirects), start, end, declares)

    def bare_assignment(self, raw: Raw, depth: int) -> Node:
        start, end = self.span(raw)
        return Command((), (self.assignment(raw, depth),), (), start, end, declares=True)

    def assignment(self, raw: Raw, depth: int) -> Assignment:
        start, end = self.span(raw)
        named, value = raw.child_by_field_name("name"), raw.child_by_field_name("value")
        name = self.source(named) if named is not None else ""
        appends = any(child.type == "+=" for child in raw.children)
        if value is None:
            return Assignment(name, start, end, EMPTY, (), appends)
        if value.type == "array":
            return Assignment(name, start, end, EMPTY, tuple(self.entries(value, depth)), appends)
        return Assignment(name, start, end, self.word(value, depth), (), appends)

    def entries(self, raw: Raw, depth: int) -> Iterator[tuple[Word, Word]]:
        for child in raw.named_children:
            text, start = self.source(child), self.span(child)[0]
            if text.startswith("[") and "]=" in text:
                key, _, value = text[1:].partition("]=")
                yield word_of(key, start + 1), word_of(value, start + 3 + len(key))
            else:
                yield EMPTY, self.word(child, depth)

    def redirected(self, raw: Raw, depth: int) -> Node:
        """Redirects belong to the last command of the body, as a shell reads them."""
        body = raw.child_by_field_name("body")
        inner = self.statement(body, depth + 1) if body is not None else []
        redirects: list[Redirect] = []
        words: list[Word] = []
        behind: list[Node] = []
        operator = ""
        for child in raw.children:
            if child.type.endswith("_redirect"):
                redirects += self.redirect(child, depth)
                words += self.behind_target(child, depth)
                behind += self.behind_heredoc(child, depth)
                operator = next((one.type for one in child.children if one.type in {"&&", "||"}), operator)
        node = inner[0] if inner else Command((), (), (), *self.span(raw))
        return _joined(_with_redirects(node, tuple(redirects), tuple(words)), behind, operator)

    def behind_heredoc(self, raw: Raw, depth: int) -> list[Node]:
        """`cat <<EOF | sh`, `cat <<EOF && next`: what stands behind the opening of a heredoc."""
        if raw.type != "heredoc_redirect":
            return []
        return [
            node
            for child in raw.named_children
            if child.type in _STATEMENTS
            for node in self.statement(child, depth + 1)
        ]

    def test(self, raw: Raw, depth: int) -> Node:
        items: list[Word | str] = []
        pending = list(reversed(raw.children[1:-1]))
        while pending:
            one = pending.pop()
            if one.type in {"binary_expression", "unary_expression", "parenthesized_expression", "negated_command"}:
                pending += reversed(one.children)
            elif one.type == "test_operator" or one.type in _OPERATORS:
                items.append(self.source(one))
            else:
                items.append(self.word(one, depth))
        return Test(tuple(items), *self.span(raw))

    def condition(self, raw: Raw, depth: int) -> tuple[Block, Block]:
        """What stands before `then` or `do`, and what behind it."""
        before: list[Raw] = []
        after: list[Raw] = []
        part = before
        for child in raw.children:
            if child.type in {"then", "do"}:
                part = after
            elif child.type == "do_group":
                after.append(child)
            elif child.type not in {"elif_clause", "else_clause"}:
                part.append(child)
        return self.statements(before, depth), self.statements(after, depth)

    def conditional(self, raw: Raw, depth: int) -> Node:
        clauses = [child for child in raw.children if child.type == "elif_clause"]
        branches = [self.condition(raw, depth), *(self.condition(clause, depth) for clause in clauses)]
        final = [child for child in raw.children if child.type == "else_clause"]
        otherwise = self.block(final[0], depth) if final else ()
        return If(tuple(branches), otherwise, bool(final), *self.span(raw))

    def case(self, raw: Raw, depth: int) -> Node:
        value = raw.child_by_field_name("value")
        subject = self.word(value, depth) if value is not None else EMPTY
        arms = tuple(self.arm(child, depth) for child in raw.children if child.type == "case_item")
        return Case(subject, arms, *self.span(raw))

    def arm(self, raw: Raw, depth: int) -> Arm:
        patterns: list[Word] = []
        body: list[Raw] = []
        inside = False
        for child in raw.children:
            if child.type == ")" and not inside:
                inside = True
            elif inside:
                body.append(child)
            elif child.is_named:
                patterns.append(self.word(child, depth))
        return Arm(tuple(patterns), self.statements(body, depth))

    def loop(self, raw: Raw, depth: int) -> Node:
        variable = raw.child_by_field_name("variable")
        values = tuple(self.word(one, depth) for one in raw.children_by_field_name("value"))
        condition, body = self.condition(raw, depth)
        if variable is None:
            return Loop("", (), condition, body)
        return Loop(self.source(variable), values, (), body)

    def function(self, raw: Raw, depth: int) -> Node:
        name, body = raw.child_by_field_name("name"), raw.child_by_field_name("body")
        inner = tuple(self.statement(body, depth + 1)) if body is not None else ()
        return Function(self.source(name) if name is not None else "", inner)


def _with_redirects(node: Node, redirects: tuple[Redirect, ...], words: tuple[Word, ...]) -> Node:
    """The node with redirects, and the words behind them, on its last command."""
    if not redirects:
        return node
    match node:
        case Command():
            return replace(node, redirects=(*node.redirects, *redirects), words=(*node.words, *words))
        case Pipeline(stages=stages) if stages:
            return Pipeline((*stages[:-1], _with_redirects(stages[-1], redirects, words)))
        case Chain(first=first, rest=rest) if rest:
            operator, last = rest[-1]
            return Chain(first, (*rest[:-1], (operator, _with_redirects(last, redirects, words))))
        case _:
            return Group((node,), is_subshell=False, redirects=redirects)


def _joined(node: Node, behind: list[Node], operator: str) -> Node:
    """A node and what stands behind the heredoc that it opens, which reads its output or follows it."""
    if not behind:
        return node
    if operator:
        return Chain(node, tuple((operator, one) for one in behind))
    stages = [stage for one in behind for stage in (one.stages if isinstance(one, Pipeline) else (one,))]
    return Pipeline((node, *stages))


_STATEMENTS: dict[str, Callable[[_Converter, Raw, int], Node]] = {
    "list": _Converter.chain,
    "pipeline": _Converter.pipeline,
    "command": _Converter.command,
    "declaration_command": _Converter.command,
    "unset_command": _Converter.command,
    "variable_assignment": _Converter.bare_assignment,
    "redirected_statement": _Converter.redirected,
    "if_statement": _Converter.conditional,
    "case_statement": _Converter.case,
    "for_statement": _Converter.loop,
    "c_style_for_statement": _Converter.loop,
    "while_statement": _Converter.loop,
    "function_definition": _Converter.function,
    "test_command": _Converter.test,
    "negated_command": _Converter.negation,
    "compound_statement": _Converter.group,
    "subshell": _Converter.group,
}
