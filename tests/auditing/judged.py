"""Texts as the audit judges them, for the tests of rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.auditing.engine import Options, audit
from orchestrator.auditing.fix import apply_fixes
from orchestrator.core.finding import Finding
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from orchestrator.dockerfile.parse import parse

BOTH = (LINUX_AMD64, LINUX_ARM64)
CASES = Path(__file__).parent / "rules" / "cases"


def findings(text: str, path: str = "Dockerfile", arguments: Mapping[str, str] | None = None) -> tuple[Finding, ...]:
    """What all rules say of a Dockerfile."""
    return audit(parse(text, path), Options(platforms=BOTH, arguments=arguments or {})).findings


def of_rule(
    rule: str, text: str, path: str = "Dockerfile", arguments: Mapping[str, str] | None = None
) -> list[Finding]:
    """What one rule says."""
    return [one for one in findings(text, path, arguments) if one.rule == rule]


def lines(rule: str, text: str, path: str = "Dockerfile", arguments: Mapping[str, str] | None = None) -> list[int]:
    """The lines in which one rule finds something."""
    return sorted({one.line for one in of_rule(rule, text, path, arguments)})


def fixed(text: str, *, unsafe: bool = False) -> str:
    """The text after `--fix`: one fix may make another one possible."""
    for _ in range(10):
        before, text = text, apply_fixes(text, findings(text), unsafe=unsafe).text
        if text == before:
            return text
    raise AssertionError("fixes go on for ever")


@dataclass(frozen=True, slots=True)
class Case:
    """A Dockerfile and the lines in which a rule has to find something."""

    rule: str
    name: str
    text: str
    expected: list[int]


def cases(rule: str) -> dict[str, Case]:
    """The cases of a rule by their names, from a file in which `> ` marks the lines of findings.

    A line `--- name` begins a case; every line of its Dockerfile has two characters in front of it.
    """
    found: dict[str, Case] = {}
    for part in f"\n{(CASES / f'{rule}.txt').read_text()}".split("\n--- ")[1:]:
        name, _, body = part.partition("\n")
        rows = body.rstrip("\n").split("\n")
        expected = [number for number, row in enumerate(rows, 1) if row.startswith("> ")]
        assert name not in found, f"two cases of {rule} have the name {name!r}"
        found[name] = Case(rule, name, "".join(f"{row[2:]}\n" for row in rows), expected)
    return found
