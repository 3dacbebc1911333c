"""`${VARIABLE}` as in compose (the cases follow the compose specification, interpolation)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.manifest.interpolation import LONGEST, Gap, expand

VALUES = {"FULL": "value", "EMPTY": "", "BIG": "x" * 100_000, "_1": "one"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("$FULL", "value"),
        ("${FULL}", "value"),
        ("a-${FULL}-$_1.b", "a-value-one.b"),
        ("${EMPTY}", ""),
        ("${EMPTY:-x}", "x"),
        ("${EMPTY-x}", ""),
        ("${NONE:-x}", "x"),
        ("${NONE-x}", "x"),
        ("${NONE-}", ""),
        ("${FULL:-x}", "value"),
        ("${FULL:?needed}", "value"),
        ("${EMPTY?needed}", ""),
        ("${FULL:+x}", "x"),
        ("${EMPTY:+x}", ""),
        ("${EMPTY+x}", "x"),
        ("${NONE+x}", ""),
        ("${NONE:-${FULL}}", "value"),
        ("${NONE:-${NONE:-${EMPTY:-deep}}}", "deep"),
        ("${NONE:-a:-b?c+d}", "a:-b?c+d"),
        ("${NONE:-$FULL and ${FULL}}", "value and value"),
        ("$$FULL", "$FULL"),
        ("$${FULL}", "${FULL}"),
        ("$$$FULL", "$value"),
        ("${NONE:-$$x}", "$x"),
        ('${NONE:-{"a": 1}}', '{"a": 1}'),
        ("${FULL:-${NONE}}", "value"),
        ("${NONE:-line\nline}", "line\nline"),
    ],
)
def test_values(text: str, expected: str) -> None:
    expansion = expand(text, VALUES.get)
    assert expansion.gaps == ()
    assert expansion.text == expected


@pytest.mark.parametrize(
    ("text", "gaps"),
    [
        ("ab${NONE}", (Gap(2, "NONE"),)),
        ("$NONE-${ALSO}", (Gap(0, "NONE"), Gap(6, "ALSO"))),
        ("${NONE:?say why}", (Gap(0, "NONE", "say why"),)),
        ("${EMPTY:?}", (Gap(0, "EMPTY", "it is needed"),)),
        ("${NONE:?not ${FULL}}", (Gap(0, "NONE", "not ${FULL}"),)),
        ("x${NONE:-${ALSO}}", (Gap(9, "ALSO"),)),
        ("50$", (Gap(2, message="this `$` begins no variable; write $$ for a dollar"),)),
        ("${FULL", (Gap(0, message="this `${` is not closed"),)),
        ("${FULL:-${x}", (Gap(0, message="this `${` is not closed"),)),
        ("${}", (Gap(0, message="this is no variable; write ${NAME}, ${NAME:-default} or $$ for a dollar"),)),
        ("${FULL!}", (Gap(0, message="this is no variable; write ${NAME}, ${NAME:-default} or $$ for a dollar"),)),
        ("${1A}", (Gap(0, message="this is no variable; write ${NAME}, ${NAME:-default} or $$ for a dollar"),)),
    ],
)
def test_gaps_have_their_place_and_no_value(text: str, gaps: tuple[Gap, ...]) -> None:
    assert expand(text, VALUES.get).gaps == gaps


def test_growth_is_bounded() -> None:
    expansion = expand("${BIG}" * 100_000, VALUES.get)
    assert f"{LONGEST:,}" in expansion.gaps[0].message
    assert len(expansion.text) <= LONGEST


def test_gaps_are_bounded() -> None:
    assert len(expand("$NONE" * 500_000, VALUES.get).gaps) == 20


def test_depth_is_bounded() -> None:
    assert expand("${NONE:-" * 5000 + "}" * 5000, VALUES.get).gaps


@given(st.text(alphabet="${}:-+?AB \n", max_size=40))
def test_any_text_is_expanded_or_refused(text: str) -> None:
    expansion = expand(text, {"A": "1", "B": ""}.get)
    assert all(0 <= gap.offset < len(text) for gap in expansion.gaps)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=40))
def test_a_doubled_dollar_is_a_dollar(text: str) -> None:
    assert expand(text.replace("$", "$$"), VALUES.get).text == text
