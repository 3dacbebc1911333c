"""MA103: files for checks, and the fix that asks."""

from tests.auditing.judged import cases, fixed, lines, of_rule

CASES = cases("MA103")


def test_files_for_checks_are_left_alone() -> None:
    text = "FROM --platform=$BUILDPLATFORM golang\nRUN golangci-lint run\n"
    assert lines("MA103", text, "hack/dockerfiles/lint.Dockerfile") == []
    assert lines("MA103", text, "Dockerfile") == [1]


def test_the_stage_that_decides_is_related() -> None:
    (found,) = of_rule("MA103", CASES["through another stage"].text)
    assert [one.line for one in found.related] == [1]


def test_the_fix_asks() -> None:
    text = CASES["the only stage"].text
    assert fixed(text) == text
    assert fixed(text, unsafe=True).startswith("FROM node\n")
