"""A baseline survives that lines move, and tells the same line twice apart."""

from __future__ import annotations

import pytest

from orchestrator.auditing.baseline import baseline_text, fingerprints, known_fingerprints, without_known
from orchestrator.core.errors import UsageError
from orchestrator.core.finding import Finding
from tests.auditing.judged import findings


def source_line(text: str) -> object:
    lines = text.split("\n")
    return lambda _path, line: lines[line - 1]


def marks(text: str) -> tuple[str, ...]:
    return fingerprints(findings(text), source_line(text))  # type: ignore[arg-type]


def test_moved_lines_keep_their_fingerprints() -> None:
    before = "FROM a\nENV B=amd64\nCOPY c-amd64 /d\n"
    after = "FROM a\n\n# more\nRUN true\n  ENV B=amd64\nCOPY   c-amd64 /d\n"
    assert marks(before) == marks(after)


def test_the_same_line_again_is_another_finding() -> None:
    assert len(set(marks("FROM a\nCOPY c-amd64 /d\nCOPY c-amd64 /d\n"))) == 2


def test_known_findings_are_left_out_and_new_ones_are_not() -> None:
    text = "FROM a\nENV B=amd64\n"
    known = known_fingerprints(baseline_text(findings(text), source_line(text)))  # type: ignore[arg-type]
    more = "FROM a\nENV B=amd64\nENV C=x86_64\n"
    left: tuple[Finding, ...] = without_known(findings(more), known, source_line(more))  # type: ignore[arg-type]
    assert [one.line for one in left] == [3]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 9, "findings": []}', '{"version": 1, "findings": 3}', "[" * 9999]
)
def test_what_is_no_baseline_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        known_fingerprints(text)
