"""What the RUN texts of a stage and of those below it show: tool chains, cross compilers, and use of the target."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from orchestrator.auditing.runs import Run
from orchestrator.auditing.staging import Staging
from orchestrator.core.platform import Platform

_TARGET_VARIABLE = re.compile(r"\bTARGET(?:PLATFORM|ARCH|VARIANT|PAIR)\b")
_ECHO = re.compile(r"\b(?:echo|printf)\b[^;&|>\n]*(?!>)")
_CROSS_HELPER = re.compile(
    r"(?:^|[/\s=\"])(?:tonistiigi/)?xx(?:[:@\s-]|$)|goxx|--wrap\b|go env -w GOARCH|\bcross build\b"
)
_TOOLCHAIN = re.compile(
    r"golang|rust|gcc|clang|llvm|haskell|swift|zig|build-base|build-essential|g\+\+|musl-dev|musl-tools|\bgo\b|cargo|ghc"
    r"|ocaml|nim|crystal"
)


@dataclass(frozen=True, slots=True)
class Signs:
    """What was seen in a stage and those that it is built from."""

    cross_helper: bool = False
    toolchain: bool = False
    target: bool = False

    def __or__(self, other: Signs) -> Signs:
        return Signs(
            self.cross_helper or other.cross_helper, self.toolchain or other.toolchain, self.target or other.target
        )


@dataclass(slots=True)
class StageTexts:
    """The texts of all stages, looked through once."""

    staging: Staging
    runs: dict[int, list[Run]] = field(default_factory=dict)
    _own: dict[int, Signs] = field(default_factory=dict)
    _signs: dict[tuple[Platform, int], Signs] = field(default_factory=dict)
    _first: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, staging: Staging, runs: Iterable[Run]) -> StageTexts:
        """Sort the texts of builds by stage."""
        texts = cls(staging)
        for run in runs:
            if not run.is_start:
                texts.runs.setdefault(run.stage, []).append(run)
        return texts

    def signs(self, platform: Platform, stage: int) -> Signs:
        """The signs of a stage and all that it is built from."""
        open_ones = [stage]
        while (platform, open_ones[-1]) not in self._signs:
            base = self.staging.resolved(open_ones[-1], platform).base
            if not isinstance(base, int):
                break
            open_ones.append(base)
        for index in reversed(open_ones):
            if (platform, index) not in self._signs:
                base = self.staging.resolved(index, platform).base
                below = (
                    self._signs[(platform, base)] if isinstance(base, int) else Signs(toolchain=_names_toolchain(base))
                )
                self._signs[(platform, index)] = below | self._own_signs(platform, index)
        return self._signs[(platform, stage)]

    def knows_target(self, platform: Platform, stage: int, run: Run) -> bool:
        """Whether something up to a text, in ARG, ENV or RUN, does more with the target platform than print it."""
        base = self.staging.resolved(stage, platform).base
        if isinstance(base, int) and self.signs(platform, base).target:
            return True
        if self._sets_target(stage):
            return True
        texts = self.runs.get(stage, [])
        if stage not in self._first:
            found = (number for number, one in enumerate(texts) if _uses_target(one.source.text))
            self._first[stage] = next(found, len(texts))
        return any(one is run for one in texts[self._first[stage] :])

    def _own_signs(self, platform: Platform, stage: int) -> Signs:
        if stage not in self._own:
            texts = [run.source.text for run in self.runs.get(stage, ())]
            self._own[stage] = Signs(
                any(_CROSS_HELPER.search(text) for text in texts),
                any(_TOOLCHAIN.search(text) for text in texts),
                self._sets_target(stage) or any(_uses_target(text) for text in texts),
            )
        uses = self.staging.resolved(stage, platform).uses
        return self._own[stage] | Signs(cross_helper=any(_CROSS_HELPER.search(use.name) for use in uses))

    def _sets_target(self, stage: int) -> bool:
        instructions = self.staging.roles[stage].stage.instructions
        values = (
            one.value
            for instruction in instructions
            if instruction.keyword in {"ARG", "ENV"}
            for one in instruction.assignments
        )
        return any(value is not None and _TARGET_VARIABLE.search(value.text) for value in values)


def _uses_target(text: str) -> bool:
    return bool(_TARGET_VARIABLE.search(text)) and bool(_TARGET_VARIABLE.search(_ECHO.sub("", text)))


def _names_toolchain(image: str) -> bool:
    return bool(_TOOLCHAIN.search(image))
