"""MA202: the fix, and what is related."""

from orchestrator.core.finding import Severity
from tests.auditing.judged import cases, fixed, of_rule

CASES = cases("MA202")


def test_the_line_is_deleted_before_the_first_from_and_the_default_in_a_stage() -> None:
    assert fixed(CASES["among others"].text).startswith("ARG A=1\nARG B=2\nFROM")
    assert fixed(CASES["in a stage"].text) == "FROM node\nARG BUILDARCH\nRUN x\n"
    assert fixed(CASES["arm64"].text) == CASES["arm64"].text


def test_the_stages_that_get_it_are_related() -> None:
    (found,) = of_rule("MA202", CASES["before the first FROM"].text)
    assert found.severity is Severity.WARNING
    assert [one.line for one in found.related] == [2]
