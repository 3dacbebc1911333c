"""MA201: the fixes, which differ by where the default stands."""

import pytest

from orchestrator.core.finding import Severity
from orchestrator.core.platform import LINUX_ARM64
from tests.auditing.judged import cases, fixed, lines, of_rule

CASES = cases("MA201")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("FROM a\nARG TARGETARCH=amd64\nRUN x\n", "FROM a\nARG TARGETARCH\nRUN x\n"),
        ("FROM a\nARG TARGETPLATFORM='linux/amd64' V=1\nRUN x\n", "FROM a\nARG TARGETPLATFORM V=1\nRUN x\n"),
        ("ARG V=1\nARG TARGETARCH=amd64\nFROM a\nRUN x\n", "ARG V=1\nFROM a\nRUN x\n"),
        ("ARG V=1 TARGETARCH=amd64\nFROM a\nRUN x\n", "ARG V=1\nFROM a\nRUN x\n"),
        ("ARG TARGETARCH=amd64 V=1\nFROM a\nRUN x\n", "ARG V=1\nFROM a\nRUN x\n"),
        ("ARG A=1 TARGETARCH=amd64 V=1\nFROM a\nRUN x\n", "ARG A=1 V=1\nFROM a\nRUN x\n"),
        (
            "FROM a\nENV TARGETARCH=amd64 B=1\nRUN x\n",
            "FROM a\nARG TARGETARCH\nENV TARGETARCH=$TARGETARCH B=1\nRUN x\n",
        ),
        ("FROM a\nENV TARGETARCH amd64\nRUN x\n", "FROM a\nARG TARGETARCH\nENV TARGETARCH $TARGETARCH\nRUN x\n"),
        ("FROM a\r\nARG TARGETARCH=amd64\r\nRUN x\r\n", "FROM a\r\nARG TARGETARCH\r\nRUN x\r\n"),
    ],
)
def test_safe_fixes(before: str, after: str) -> None:
    assert fixed(before) == after
    assert lines("MA201", after) == []


@pytest.mark.parametrize("value", ["x86_64", "arm64", '""', "aarch64"])
def test_what_would_change_an_amd64_build_asks(value: str) -> None:
    text = f"FROM a\nARG TARGETARCH={value}\nRUN x\n"
    assert fixed(text) == text
    assert fixed(text, unsafe=True) == "FROM a\nARG TARGETARCH\nRUN x\n"


def test_the_message_names_platform_and_value() -> None:
    (found,) = of_rule("MA201", CASES["in a stage"].text)
    assert found.severity is Severity.ERROR
    assert str(LINUX_ARM64) in found.message
    assert "'amd64'" in found.message


def test_a_system_is_only_advice() -> None:
    (found,) = of_rule("MA201", CASES["a system, which is advice"].text)
    assert found.severity is Severity.NOTE


def test_a_passed_argument_beats_the_default() -> None:
    assert lines("MA201", "FROM a\nARG TARGETARCH=amd64\n", arguments={"TARGETARCH": "x"}) == []


def test_a_file_for_arm64_may_default_to_it() -> None:
    text = "FROM a\nARG TARGETARCH=arm64\nRUN x\n"
    assert lines("MA201", text, "Dockerfile.arm64") == []
    assert lines("MA201", text, "Dockerfile.amd64") == [2]
