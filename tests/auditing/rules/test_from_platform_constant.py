"""MA101: how bad a pinned stage is, and what the fix does."""

from orchestrator.core.finding import Severity
from tests.auditing.judged import cases, fixed, lines, of_rule

CASES = cases("MA101")
BUNDLE = CASES["a bundle of scripts"].text


def test_what_ships_is_an_error() -> None:
    for name in ("the only stage", "a program that is compiled and copied", "an installed program that is copied"):
        (found,) = of_rule("MA101", CASES[name].text)
        assert found.severity is Severity.ERROR


def test_what_only_runs_emulated_is_a_warning() -> None:
    (mounted,) = of_rule("MA101", CASES["a tool that is mounted is a warning"].text)
    assert mounted.severity is Severity.WARNING
    (found,) = of_rule("MA101", BUNDLE)
    assert found.severity is Severity.WARNING
    assert fixed(BUNDLE) == BUNDLE
    assert fixed(BUNDLE, unsafe=True).startswith("FROM --platform=$BUILDPLATFORM node AS ui\n")


def test_a_file_of_one_architecture_may_say_so() -> None:
    text = "FROM --platform=linux/arm64 debian\n"
    assert lines("MA101", text, "Dockerfile.arm64") == []
    assert lines("MA101", text, "docker/arm64/Dockerfile") == []
    assert lines("MA101", text, "Dockerfile.amd64") == [1]


def test_the_fix_removes_the_flag_and_nothing_else() -> None:
    text = "# base\nFROM  --platform=linux/amd64   debian:13 AS base\nRUN y\n"
    assert fixed(text) == "# base\nFROM  debian:13 AS base\nRUN y\n"


def test_an_arm64_stage_is_not_fixed_without_asking() -> None:
    text = "FROM --platform=linux/arm64 debian\n"
    assert fixed(text) == text
    assert fixed(text, unsafe=True) == "FROM debian\n"
