"""MA102: how bad a default is, and what the fix does."""

from orchestrator.core.finding import Severity
from tests.auditing.judged import cases, fixed, lines, of_rule

CASES = cases("MA102")


def test_all_stages_that_get_the_default_are_related() -> None:
    (found,) = of_rule("MA102", CASES["several stages with one argument"].text)
    assert [one.line for one in found.related] == [2, 4]
    assert found.severity is Severity.ERROR


def test_a_stage_that_only_prepares_files_is_a_warning() -> None:
    text = "ARG P=linux/amd64\nFROM --platform=$P node AS b\nRUN npm run build\nFROM nginx\nCOPY --from=b /dist /d\n"
    assert of_rule("MA102", text)[0].severity is Severity.WARNING
    assert fixed(text) == text
    assert fixed(text, unsafe=True).startswith("ARG P=$BUILDPLATFORM\n")


def test_a_passed_argument_is_reported_at_the_flag() -> None:
    text = "ARG P=linux/arm64\nFROM --platform=$P debian\n"
    assert lines("MA102", text, arguments={"P": "linux/amd64"}) == [2]


def test_an_architecture_is_fixed_with_an_architecture() -> None:
    text = CASES["an architecture"].text
    assert fixed(text) == text.replace("=amd64", "=$TARGETARCH")
