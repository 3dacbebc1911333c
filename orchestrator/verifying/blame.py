"""Finds the line of a Dockerfile that made a layer, by the instruction that the image's history holds."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from orchestrator.core.finding import Related
from orchestrator.dockerfile.instruction import Instruction
from orchestrator.dockerfile.parse import Dockerfile
from orchestrator.dockerfile.stages import Stage

BASE = "FROM"
_ALIKE = 0.7
_MOST_VARIABLES = 5
_VARIABLE = re.compile(r"\$\{[^}]*\}|\$\w+")
_LONGEST = 2000


def blame(dockerfile: Dockerfile, target: str, step: str) -> tuple[Related, ...]:
    """The instruction that a step of the history most likely is; BASE asks for the FROM below which nothing is ours.

    Empty where no instruction is alike: variables are expanded in the history of COPY and ADD, and not in the file.
    """
    chain = _chain(dockerfile, target)
    if not chain:
        return ()
    if step == BASE:
        return (_related(dockerfile, chain[-1].instruction),)
    wanted = _plain(step)
    found = [(_likeness(wanted, one), one) for stage in chain for one in stage.instructions if not one.onbuild]
    likeness, best = max(found, key=lambda pair: pair[0], default=(0.0, None))
    return (_related(dockerfile, best),) if best is not None and likeness >= _ALIKE else ()


def _chain(dockerfile: Dockerfile, target: str) -> list[Stage]:
    """The target's stage (the last one without a target) and the stages that it stands on."""
    named = {stage.name: stage for stage in dockerfile.stages if stage.name}
    stage = named.get(target.lower()) if target else dockerfile.stages[-1] if dockerfile.stages else None
    chain: list[Stage] = []
    while stage is not None and stage not in chain:
        chain.append(stage)
        parent = named.get(stage.base_word.text.lower())
        stage = parent if parent is not None and parent.index < stage.index else None
    return chain


def _likeness(step: str, instruction: Instruction) -> float:
    keyword, _, text = step.partition(" ")
    if keyword != instruction.keyword:
        return 0.0
    text, written = text[:_LONGEST], _plain(instruction.body.text)[:_LONGEST]
    parts = _VARIABLE.split(written)
    if 1 < len(parts) <= _MOST_VARIABLES and re.fullmatch(r"\S*".join(map(re.escape, parts)), text):
        return 1.0
    return difflib.SequenceMatcher(None, text, written).ratio()


def _plain(text: str) -> str:
    """The words without flags that the history leaves out."""
    return " ".join(_words(text))


def _words(text: str) -> Iterator[str]:
    words = text.split()
    is_copy = words[:1] and words[0] in {"COPY", "ADD"}
    for word in words:
        if not (is_copy and word.startswith("--")):
            yield word


def _related(dockerfile: Dockerfile, instruction: Instruction) -> Related:
    shown = " ".join(f"{instruction.keyword} {instruction.body.text}".split())
    return Related(dockerfile.path, instruction.line, shown if len(shown) <= 80 else f"{shown[:79]}…")
