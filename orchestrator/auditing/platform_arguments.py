"""Values that take the place of the platform arguments that BuildKit sets by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from orchestrator.auditing.context import Context
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.dockerfile.instruction import Assignment, Instruction
from orchestrator.dockerfile.resolve import Resolved, survey
from orchestrator.dockerfile.scope import Origin, Variable, automatic_values

_VARIABLE = re.compile(r"\$\{?(\w+)")
_SHADOWING = frozenset({Origin.GLOBAL_DEFAULT, Origin.STAGE_DEFAULT, Origin.ENV})


@dataclass(frozen=True, slots=True)
class Shadow:
    """An ARG or ENV that sets a platform argument; `wrong` are platforms with what they should get and what they do.

    `stage` is -1 for an ARG before the first FROM.
    """

    instruction: Instruction
    assignment: Assignment
    stage: int
    wrong: tuple[tuple[Platform, str, str], ...]

    @property
    def is_constant(self) -> bool:
        """Whether the value has no variable in it."""
        return self.assignment.value is None or "$" not in self.assignment.value.text


def target_shadows(context: Context, names: frozenset[str]) -> Iterator[Shadow]:
    """Values of arguments that are the target's, judged for each platform under audit."""
    cases = [(platform, LINUX_AMD64) for platform in context.platforms]
    yield from _shadows(context, names, [(target, target, builder) for target, builder in cases])


def build_shadows(context: Context, names: frozenset[str]) -> Iterator[Shadow]:
    """Values of arguments that are the builder's, judged for builders of both architectures."""
    target = context.platforms[0]
    yield from _shadows(context, names, [(builder, target, builder) for builder in (LINUX_AMD64, LINUX_ARM64)])


Case = tuple[Platform, Platform, Platform]


def _shadows(context: Context, names: frozenset[str], cases: list[Case]) -> Iterator[Shadow]:
    """Each case is the platform that is told, the target's and the builder's."""
    sites = list(_sites(context, names))
    if not sites:
        return
    surveys = [
        survey(context.dockerfile, args=context.arguments, platform=target, build_platform=builder)
        for _, target, builder in cases
    ]
    bound = [_Bound(surveyed) for surveyed in surveys]
    for stage, instruction, assignment in sites:
        wrong: list[tuple[Platform, str, str]] = []
        for (told, target, builder), variables in zip(cases, bound, strict=True):
            value = _constant(assignment) if instruction.onbuild else variables.of(stage, assignment)
            meant = automatic_values(target, builder, "")[assignment.name]
            if value is not None and value != meant:
                wrong.append((told, meant, value))
        yield Shadow(instruction, assignment, stage, tuple(wrong))


def _sites(context: Context, names: frozenset[str]) -> Iterator[tuple[int, Instruction, Assignment]]:
    """The assignments of values to such arguments."""
    for instruction in context.dockerfile.global_args:
        yield from ((-1, instruction, one) for one in instruction.assignments if one.name in names and _has_value(one))
    for stage in context.dockerfile.stages:
        for instruction in stage.instructions:
            if instruction.keyword in {"ARG", "ENV"}:
                found = (one for one in instruction.assignments if one.name in names and _has_value(one))
                yield from ((stage.index, instruction, one) for one in found)


def _constant(assignment: Assignment) -> str | None:
    """The value of an ONBUILD trigger, which is known only if it has no variable in it."""
    text = assignment.value.text if assignment.value is not None else ""
    return None if "$" in text else text.strip("\"'")


def _is_known(variable: Variable, assignment: Assignment) -> bool:
    """Whether the value depends on nothing that a base image may set, but perhaps on the argument itself."""
    text = assignment.value.text if assignment.value is not None else ""
    return variable.known or set(_VARIABLE.findall(text)) == {assignment.name}


def _has_value(assignment: Assignment) -> bool:
    return assignment.value is not None


class _Bound:
    """The variables of one build by the places of the assignments that set them."""

    def __init__(self, surveyed: Resolved) -> None:
        self._surveyed = surveyed
        self._stages: dict[tuple[int, str], dict[tuple[int, int], Variable]] = {}

    def of(self, stage: int, assignment: Assignment) -> str | None:
        """What an assignment sets in a stage (-1: before the first FROM); None where it does not, or nobody knows."""
        key = (stage, assignment.name)
        if key not in self._stages:
            variables = self._all(stage, assignment.name)
            self._stages[key] = {(one.line, one.column): one for one in variables if one.origin in _SHADOWING}
        word = assignment.name_word
        variable = self._stages[key].get((word.line, word.column))
        return variable.value if variable is not None and _is_known(variable, assignment) else None

    def _all(self, stage: int, name: str) -> list[Variable]:
        if stage < 0:
            return [self._surveyed.global_scope[name]]
        return [variable for _, variable in self._surveyed.stages[stage].scope.bindings.get(name, ())]
