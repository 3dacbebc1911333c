"""Each rule over its cases: what it has to find, line by line, and the look-alikes that it has to leave alone."""

import pytest

from tests.auditing.judged import CASES, Case, cases, fixed, lines

ALL = [case for path in sorted(CASES.glob("*.txt")) for case in cases(path.stem).values()]


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.rule}: {case.name}")
def test_a_rule_finds_exactly_the_marked_lines(case: Case) -> None:
    assert lines(case.rule, case.text) == case.expected


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.rule}: {case.name}")
def test_fixing_twice_changes_nothing_more(case: Case) -> None:
    once = fixed(case.text)
    assert fixed(once) == once
