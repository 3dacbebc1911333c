"""What a rule is: one generator function whose docstring is its documentation and its test."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.core.finding import Confidence, Fix, Related, RuleInfo, Severity
from orchestrator.dockerfile.source import Word

if TYPE_CHECKING:
    from orchestrator.auditing.context import Context


@dataclass(frozen=True, slots=True)
class Problem:
    """What a rule found. `path` is empty for the Dockerfile itself; `severity` None stands for the rule's own.

    `artifact` is the file or address that the problem is about. A problem that only `follows` is told with the one that
    brought the artifact, where there is one.
    """

    word: Word
    message: str
    path: str = ""
    severity: Severity | None = None
    confidence: Confidence = Confidence.HIGH
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
    cause: str = ""
    artifact: str = ""
    follows: bool = False


Check = Callable[["Context"], Iterator[Problem]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A check with its documentation."""

    info: RuleInfo
    check: Check

    @property
    def id(self) -> str:
        """Its number, which never changes its meaning."""
        return self.info.id


def rule(identity: str, severity: Severity) -> Callable[[Check], Rule]:
    """Make a rule of a generator function: name, summary, help and examples come from it and its docstring."""

    def make(check: Check) -> Rule:
        return Rule(documented(identity, severity, getattr(check, "__name__", identity), check.__doc__), check)

    return make


def documented(identity: str, severity: Severity, function: str, document: str | None) -> RuleInfo:
    """What the name and the docstring of a rule's function say."""
    summary, text, bad, good = _sections(inspect.cleandoc(document or ""))
    return RuleInfo(identity, function.replace("_", "-"), severity, summary, text, bad, good)


_EXAMPLE = re.compile(r"^(Bad|Good):\n((?:(?:[ ]{4}.*)?\n)+)", re.MULTILINE)


def _sections(document: str) -> tuple[str, str, str, str]:
    summary, _, rest = document.partition("\n")
    examples = {match[1]: match[2] for match in _EXAMPLE.finditer(rest + "\n")}
    text = _EXAMPLE.sub("", rest + "\n").strip()
    return summary.strip(), text, _block(examples.get("Bad", "")), _block(examples.get("Good", ""))


def _block(text: str) -> str:
    lines = [line[4:] for line in text.strip("\n").split("\n")]
    return "\n".join(lines) + "\n" if any(lines) else ""
