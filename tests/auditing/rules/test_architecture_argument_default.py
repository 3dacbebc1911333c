"""MA204: severity by use, and the fix that keeps amd64."""

from orchestrator.core.finding import Severity
from tests.auditing.judged import cases, fixed, lines, of_rule

CASES = cases("MA204")


def test_only_in_from_it_is_a_warning() -> None:
    assert of_rule("MA204", CASES["the base image, which is a warning"].text)[0].severity is Severity.WARNING
    assert of_rule("MA204", CASES["in a download"].text)[0].severity is Severity.ERROR


def test_the_uses_are_related() -> None:
    (found,) = of_rule("MA204", CASES["in a download"].text)
    assert [one.line for one in found.related] == [3]


def test_amd64_becomes_targetarch_and_other_names_stay() -> None:
    text = "FROM debian\nARG ARCH=amd64\nCOPY app-$ARCH /app\n"
    assert fixed(text) == "FROM debian\nARG TARGETARCH\nARG ARCH=$TARGETARCH\nCOPY app-$ARCH /app\n"
    before = "ARG ARCH=amd64\nFROM debian\nARG ARCH\nCOPY app-$ARCH /app\n"
    assert fixed(before) == before.replace("=amd64", "=$TARGETARCH")
    assert fixed(CASES["the kernel's name"].text) == CASES["the kernel's name"].text


def test_a_stage_of_the_builder_may_mean_the_builder() -> None:
    text = "FROM --platform=$BUILDPLATFORM debian AS b\nARG ARCH=amd64\nCOPY app-$ARCH /app\n"
    text += "FROM a\nCOPY --from=b /app /app\n"
    assert fixed(text) == text
    assert "ARG ARCH=$TARGETARCH" in fixed(text, unsafe=True)


def test_a_passed_argument_is_no_default() -> None:
    assert lines("MA204", CASES["in a download"].text, arguments={"ARCH": "x"}) == []
