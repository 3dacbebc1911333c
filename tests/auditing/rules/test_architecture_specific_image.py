"""MA105: effects and fixes."""

from orchestrator.core.finding import Severity
from tests.auditing.judged import cases, fixed, lines, of_rule

CASES = cases("MA105")


def test_the_platforms_that_get_it_are_named() -> None:
    (found,) = of_rule("MA105", CASES["a repository of one architecture"].text)
    assert "linux/amd64" in found.message
    assert "linux/arm64" not in found.message


def test_in_a_stage_of_the_builder_it_is_a_warning() -> None:
    text = "FROM --platform=$BUILDPLATFORM amd64/node AS b\nRUN x\nFROM nginx\nCOPY --from=b /d /d\n"
    assert of_rule("MA105", text)[0].severity is Severity.WARNING


def test_official_images_of_amd64_are_those_of_the_plain_name() -> None:
    assert fixed(CASES["a repository of amd64"].text) == "FROM debian:13\nRUN x\n"
    arm = CASES["a repository of one architecture"].text
    assert fixed(arm) == arm


def test_a_file_of_one_architecture_may_name_it() -> None:
    assert lines("MA105", "FROM arm64v8/alpine\nRUN x\n", "arm64/Dockerfile") == []
