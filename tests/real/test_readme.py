"""Every output that the README shows is what its command prints, but for digests, times, sizes and names of nodes."""

from __future__ import annotations

import re

import pytest

from tests.real.readme import BLOCK, README, output

CHANGING = (
    (re.compile(r"\x1b\[[0-9;]*m"), ""),
    (re.compile(r"\b[0-9a-f]{12}\b|(?<=\s)-(?=\s)|\bsame\b"), "#"),
    (re.compile(r"\b\d+m\d\ds\b|\b\d+(\.\d+)? (s|B|kB|MB|GB)\b|\b\d+\.\d+x"), "#"),
    (re.compile(r":[0-9a-f]{7}\b|:dev\b"), ":SHA"),
    (re.compile(r"\b(built|unchanged)\b"), "done"),
    (re.compile(r"\d+ done(, \d+ done)?"), "all done"),
    (re.compile(r"\d+ (tag|note|request)s?\b"), "some"),
    (re.compile(r"v\d+\.\d+\.\d+\S*|processor [\w() -]+?(?=\s{2,}|\)|$)"), "#"),
    (re.compile(r"\s+"), " "),
)


def normal(text: str) -> str:
    """The text without what differs from run to run."""
    for pattern, replacement in CHANGING:
        text = pattern.sub(replacement, text)
    return text.strip()


CALLS = [pytest.param(match["call"], match["output"], id=match["call"]) for match in BLOCK.finditer(README.read_text())]


@pytest.mark.real
@pytest.mark.parametrize(("call", "shown"), CALLS)
def test_output_is_real(call: str, shown: str) -> None:
    assert normal(output(call)) == normal(shown)


def test_readme_shows_every_main_command_and_is_short() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    for command in ("audit", "plan", "build", "verify", "nodes"):
        assert any(match["call"].startswith(command) for match in BLOCK.finditer(text))
