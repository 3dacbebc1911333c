"""Which value a variable has at an instruction, and who gave it: ARG, ENV, a build argument, or BuildKit itself."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from orchestrator.core.platform import Platform
from orchestrator.dockerfile.instruction import Assignment, Instruction
from orchestrator.dockerfile.lexer import ExpansionError, expand
from orchestrator.dockerfile.source import shown

AUTOMATIC = frozenset(
    f"{side}{part}" for side in ("BUILD", "TARGET") for part in ("PLATFORM", "OS", "OSVERSION", "ARCH", "VARIANT")
) | {"TARGETSTAGE"}
"""The arguments that BuildKit sets by itself; they are in the global scope, and in a stage where an ARG names them."""


class Origin(StrEnum):
    """Who gave a variable its value."""

    AUTOMATIC = "automatic"
    BUILD_ARGUMENT = "build-argument"
    GLOBAL_DEFAULT = "global-default"
    STAGE_DEFAULT = "stage-default"
    ENV = "env"
    UNDECLARED = "undeclared"


@dataclass(frozen=True, slots=True)
class Variable:
    """A value and where it comes from: the line and column of the ARG or ENV that set it (0: of none).

    `declared` is the line of the ARG of the stage through which a global or automatic value came in. `known` is False
    where the value depends on the environment of a base image that nobody looked into.
    """

    name: str
    value: str
    origin: Origin
    line: int = 0
    column: int = 0
    declared: int = 0
    known: bool = True


@dataclass(slots=True)
class Scope:
    """The variables of a stage while it is walked through; `parent` is the finished scope of the stage below it."""

    escape: str
    arguments: Mapping[str, str]
    outer: Mapping[str, Variable]
    parent: Scope | None = None
    opaque: bool = False
    bindings: dict[str, list[tuple[int, Variable]]] = field(default_factory=dict)
    declared: dict[str, int] = field(default_factory=dict)
    errors: list[tuple[int, str]] = field(default_factory=list)

    def lookup(self, name: str, before: int | None = None) -> Variable:
        """The variable as instruction number `before` of the stage sees it; without one, as it is at the end."""
        bound = self.bindings.get(name, [])
        count = len(bound) if before is None else bisect_left(bound, before, key=lambda one: one[0])
        if count:
            return bound[count - 1][1]
        scope = self.parent
        while scope is not None:
            if name in scope.bindings:
                return scope.bindings[name][-1][1]
            scope = scope.parent
        return Variable(name, "", Origin.UNDECLARED, known=not self.opaque)

    def is_declared(self, name: str, before: int | None = None) -> bool:
        """Whether an ARG or ENV above, in the stage or those that it is built from, names the variable."""
        if name in self.declared and (before is None or self.declared[name] < before):
            return True
        scope = self.parent
        while scope is not None:
            if name in scope.declared:
                return True
            scope = scope.parent
        return False

    def execute(self, position: int, instruction: Instruction) -> None:
        """Take in an ARG or ENV, which is instruction number `position` of the stage."""
        match instruction.keyword:
            case "ARG":
                for assignment in instruction.assignments:
                    self._argument(position, assignment)
            case "ENV":
                values = [(one, self._expanded(one)) for one in instruction.assignments]
                for assignment, (value, known) in values:
                    self._bind(position, _variable(assignment, value, Origin.ENV, known=known))
            case _:
                pass

    def _argument(self, position: int, assignment: Assignment) -> None:
        name = assignment.name
        self.declared.setdefault(name, position)
        if name in self.arguments:
            self._bind(position, _variable(assignment, self.arguments[name], Origin.BUILD_ARGUMENT))
        elif assignment.value is not None:
            value, known = self._expanded(assignment)
            self._bind(position, _variable(assignment, value, Origin.STAGE_DEFAULT, known=known))
        elif name in self.outer:
            outer = self.outer[name]
            line = assignment.name_word.line
            self._bind(position, Variable(name, outer.value, outer.origin, outer.line, outer.column, line))

    def _bind(self, position: int, variable: Variable) -> None:
        self.declared.setdefault(variable.name, position)
        self.bindings.setdefault(variable.name, []).append((position, variable))

    def _value_of(self, name: str) -> str | None:
        variable = self.lookup(name)
        return None if variable.origin is Origin.UNDECLARED else variable.value

    def _expanded(self, assignment: Assignment) -> tuple[str, bool]:
        written = assignment.value.text if assignment.value is not None else ""
        try:
            result = expand(written, self._value_of, self.escape)
        except ExpansionError as error:
            self.errors.append((assignment.name_word.line, f"{shown(f'{assignment.name}={written}')}: {error}"))
            return "", False
        known = not (self.opaque and result.missing) and all(self.lookup(name).known for name in result.used)
        return result.text, known


def _variable(assignment: Assignment, value: str, origin: Origin, *, known: bool = True) -> Variable:
    word = assignment.name_word
    return Variable(assignment.name, value, origin, word.line, word.column, word.line, known)


def automatic_values(platform: Platform, build_platform: Platform, target: str) -> dict[str, str]:
    """What BuildKit sets by itself for a build of one platform."""
    values: dict[str, str] = {}
    for side, one in (("BUILD", build_platform), ("TARGET", platform)):
        values[f"{side}PLATFORM"] = str(one)
        values[f"{side}OS"] = one.os
        values[f"{side}OSVERSION"] = ""
        values[f"{side}ARCH"] = one.architecture
        values[f"{side}VARIANT"] = one.variant
    values["TARGETSTAGE"] = target or "default"
    return values


def global_scope(
    instructions: tuple[Instruction, ...], automatic: Mapping[str, str], arguments: Mapping[str, str], escape: str
) -> tuple[dict[str, Variable], list[tuple[int, str]]]:
    """The variables that FROM lines see, and what could not be expanded (line, message).

    A default beats the automatic value; an ARG without a default leaves it as it is.
    """
    variables = {
        name: Variable(name, arguments.get(name, value), _origin(name, arguments)) for name, value in automatic.items()
    }
    errors: list[tuple[int, str]] = []

    def value_of(name: str) -> str | None:
        return variables[name].value if name in variables else None

    for assignment in (one for instruction in instructions for one in instruction.assignments):
        name = assignment.name
        if name in arguments:
            variables[name] = _variable(assignment, arguments[name], Origin.BUILD_ARGUMENT)
        elif assignment.value is not None:
            try:
                value = expand(assignment.value.text, value_of, escape).text
            except ExpansionError as error:
                errors.append((assignment.name_word.line, f"{shown(f'{name}={assignment.value.text}')}: {error}"))
                continue
            variables[name] = _variable(assignment, value, Origin.GLOBAL_DEFAULT)
    return variables, errors


def _origin(name: str, arguments: Mapping[str, str]) -> Origin:
    return Origin.BUILD_ARGUMENT if name in arguments else Origin.AUTOMATIC
