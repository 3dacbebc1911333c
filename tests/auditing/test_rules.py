"""Every rule keeps the word of its docstring: Bad is found, Good is clean, and a safe fix makes Good of Bad."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from orchestrator.auditing.engine import Options, audit
from orchestrator.auditing.fix import apply_fixes
from orchestrator.auditing.rule import Rule
from orchestrator.auditing.rules import RULES
from orchestrator.core.finding import Finding
from orchestrator.core.platform import LINUX_AMD64, Platform
from orchestrator.dockerfile.parse import parse

FOLDER = Path("orchestrator/auditing/rules")
NUMBERS = (
    [f"MA10{number}" for number in range(1, 10)]
    + [f"MA20{number}" for number in range(1, 10)]
    + [f"MA30{number}" for number in range(1, 7)]
    + [f"MA40{number}" for number in range(1, 10)]
    + ["MA410"]
    + [f"MA50{number}" for number in range(1, 10)]
    + ["MA510"]
    + [f"MA60{number}" for number in range(1, 6)]
)


def published(reference: str) -> tuple[Platform, ...] | None:
    return (LINUX_AMD64,) if "amd-only" in reference else None


def is_index(reference: str) -> bool | None:
    return "1111" not in reference


def found(text: str) -> tuple[Finding, ...]:
    options = Options(published=published, is_index=is_index)
    return audit(parse(text, "Dockerfile"), options).findings


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_rule_keeps_its_word(rule: Rule) -> None:
    findings = found(rule.info.bad)
    assert rule.id in {finding.rule for finding in findings}, findings
    assert not found(rule.info.good)
    own = [finding for finding in findings if finding.rule == rule.id]
    if all(finding.fix is not None and finding.fix.safe for finding in findings):
        fixed = apply_fixes(rule.info.bad, findings).text
        assert fixed == rule.info.good
    assert all(finding.message and finding.line for finding in own)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_fixing_twice_changes_nothing_more(rule: Rule) -> None:
    once = apply_fixes(rule.info.bad, found(rule.info.bad), unsafe=True).text
    again = apply_fixes(once, found(once), unsafe=True).text
    assert apply_fixes(again, found(again), unsafe=True).text == again


def test_every_number_of_the_contract_has_a_rule() -> None:
    assert sorted(rule.id for rule in RULES) == NUMBERS


def test_every_file_is_in_the_table_and_named_after_its_rule() -> None:
    files = {path.stem.replace("_", "-") for path in FOLDER.glob("*.py") if path.stem != "__init__"}
    assert files == {rule.info.name for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_documentation(rule: Rule) -> None:
    assert rule.info.summary.endswith(".")
    assert len(rule.info.summary) <= 100
    assert re.search(r"\w{3}", rule.info.help)
    assert "Bad:" not in rule.info.help
