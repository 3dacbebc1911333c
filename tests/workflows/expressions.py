"""The expressions of GitHub workflows, as far as ours use them: operators, contexts and a few functions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>\d+)|(?P<operator>&&|\|\||==|!=|[!().,\[\]])|(?P<name>[A-Za-z_][\w-]*))"
)
_WHOLE = re.compile(r"\s*\$\{\{(.*)\}\}\s*", re.DOTALL)
_INSIDE = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
STATUS = ("success", "failure", "cancelled", "always")
Functions = Mapping[str, Callable[..., Any]]
NO_STATUS: Functions = MappingProxyType({})


def is_true(value: Any) -> bool:
    """What GitHub takes for true: the text 'false' is."""
    return isinstance(value, Mapping | list) or bool(value)


def text(value: Any) -> str:
    """A value within a text."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(slots=True)
class _Reader:
    tokens: list[tuple[str, str]]
    contexts: Mapping[str, Any]
    functions: Functions
    at: int = 0

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self) -> tuple[str, str]:
        self.at += 1
        return self.tokens[self.at - 1]

    def either(self) -> Any:
        value = self.both()
        while self.peek() == "||":
            self.take()
            other = self.both()
            value = value if is_true(value) else other
        return value

    def both(self) -> Any:
        value = self.compared()
        while self.peek() == "&&":
            self.take()
            other = self.compared()
            value = other if is_true(value) else value
        return value

    def compared(self) -> Any:
        value = self.one()
        while self.peek() in {"==", "!="}:
            _, operator = self.take()
            value = (text(value) == text(self.one())) == (operator == "==")
        return value

    def one(self) -> Any:
        kind, word = self.take()
        if word == "!":
            return not is_true(self.one())
        if word == "(":
            value = self.either()
            self.take()
            return value
        if kind == "text":
            return word[1:-1].replace("''", "'")
        if kind == "number":
            return int(word)
        if word in {"true", "false", "null"}:
            return {"true": True, "false": False, "null": None}[word]
        return self.called(word) if self.peek() == "(" else self.found(word)

    def called(self, name: str) -> Any:
        self.take()
        arguments = []
        while self.peek() != ")":
            arguments.append(self.either())
            if self.peek() == ",":
                self.take()
        self.take()
        return self.functions[name](*arguments)

    def found(self, name: str) -> Any:
        if name not in self.contexts:
            raise KeyError(f"the context {name} is not there")
        value = self.contexts[name]
        while self.peek() == ".":
            self.take()
            _, key = self.take()
            value = value.get(key) if isinstance(value, Mapping) else None
        return value


def evaluate(expression: str, contexts: Mapping[str, Any], status: Functions) -> Any:
    """The value of an expression without its braces."""
    tokens: list[tuple[str, str]] = []
    rest = expression.strip()
    while rest:
        found = _TOKEN.match(rest)
        if not found or not found.lastgroup:
            raise ValueError(f"not understood: {rest}")
        tokens.append((found.lastgroup, found[found.lastgroup]))
        rest = rest[found.end() :].strip()
    functions: dict[str, Callable[..., Any]] = {
        "fromJSON": json.loads,
        "toJSON": json.dumps,
        "join": lambda items, separator=",": separator.join(map(text, items)),
        **status,
    }
    reader = _Reader(tokens, contexts, functions)
    value = reader.either()
    if reader.at != len(tokens):
        raise ValueError(f"not understood: {expression}")
    return value


def filled_in(value: Any, contexts: Mapping[str, Any], status: Functions = NO_STATUS) -> Any:
    """A value of a workflow file with its expressions worked out; a text that is one expression keeps its type."""
    if isinstance(value, dict):
        return {key: filled_in(item, contexts, status) for key, item in value.items()}
    if isinstance(value, list):
        return [filled_in(item, contexts, status) for item in value]
    if not isinstance(value, str):
        return value
    whole = _WHOLE.fullmatch(value)
    if whole and "${{" not in whole[1]:
        return evaluate(whole[1], contexts, status)
    return _INSIDE.sub(lambda found: text(evaluate(found[1], contexts, status)), value)


def holds(condition: Any, contexts: Mapping[str, Any], status: Functions) -> bool:
    """Whether an `if` holds; one that asks for no status asks for success."""
    written = str(condition if condition is not None else "success()")
    whole = _WHOLE.fullmatch(written)
    expression = whole[1] if whole else written
    if not any(f"{name}(" in expression for name in STATUS):
        expression = f"success() && ({expression})"
    return is_true(evaluate(expression, contexts, status))
