"""All rules. Of two that report the same place the one that stands first wins: specific ones before general ones."""

from typing import Final

from orchestrator.auditing.rule import Rule

RULES: Final[tuple[Rule, ...]] = ()
