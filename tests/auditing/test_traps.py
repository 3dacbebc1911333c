"""The whole audit over texts that deceive: what looks like a bug and is none, and what looks safe and is a bug.

In `traps/` a line `--- name` begins a text; `> ` marks the lines in which something has to be found, `? ` those in
which something may be found, two spaces all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.auditing.engine import Options, audit, audit_script
from orchestrator.core.finding import Finding
from orchestrator.dockerfile.parse import parse

FOLDER = Path(__file__).parent / "traps"


@dataclass(frozen=True)
class Trap:
    name: str
    text: str
    wanted: frozenset[int]
    allowed: frozenset[int]


def traps(kind: str) -> list[Trap]:
    found = []
    for part in f"\n{(FOLDER / f'{kind}.txt').read_text()}".split("\n--- ")[1:]:
        name, _, body = part.partition("\n")
        rows = body.rstrip("\n").split("\n")
        wanted = frozenset(number for number, row in enumerate(rows, 1) if row.startswith("> "))
        allowed = frozenset(number for number, row in enumerate(rows, 1) if row.startswith("? "))
        found.append(Trap(name, "".join(f"{row[2:]}\n" for row in rows), wanted, allowed))
    return found


def check(trap: Trap, findings: tuple[Finding, ...]) -> None:
    lines = {finding.line for finding in findings}
    assert lines - trap.allowed == trap.wanted, "\n".join(f"{one.line} {one.rule} {one.message}" for one in findings)


@pytest.mark.parametrize("trap", traps("dockerfiles"), ids=lambda trap: trap.name)
def test_dockerfile(trap: Trap) -> None:
    check(trap, audit(parse(trap.text, "Dockerfile"), Options()).findings)


@pytest.mark.parametrize("trap", traps("scripts"), ids=lambda trap: trap.name)
def test_script(trap: Trap) -> None:
    check(trap, audit_script(trap.text, "install.sh", Options()).findings)
