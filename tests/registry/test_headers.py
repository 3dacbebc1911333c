from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.registry.headers import Challenge, next_link, parse_challenges, plain_type, range_start, retry_after

NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ([], ()),
        (["Basic realm=x"], (Challenge("basic", (("realm", "x"),)),)),
        (
            ['Bearer realm="https://a/t",service="s",scope="repository:x:pull,push"'],
            (Challenge("bearer", (("realm", "https://a/t"), ("service", "s"), ("scope", "repository:x:pull,push"))),),
        ),
        (
            ['Negotiate, BEARER Realm="a\\"b", Basic realm="c"'],
            (Challenge("negotiate"), Challenge("bearer", (("realm", 'a"b'),)), Challenge("basic", (("realm", "c"),))),
        ),
        (["Negotiate", "Basic realm=y"], (Challenge("negotiate"), Challenge("basic", (("realm", "y"),)))),
    ],
)
def test_challenges(fields: list[str], expected: tuple[Challenge, ...]) -> None:
    assert parse_challenges(fields) == expected


@given(st.lists(st.text(), max_size=3))
def test_challenges_take_anything(fields: list[str]) -> None:
    parse_challenges(fields)


@pytest.mark.parametrize(
    ("field", "seconds"),
    [
        ("", 0),
        ("7", 7),
        (" 120 ", 120),
        ("-5", 0),
        ("1.5", 0),
        ("soon", 0),
        ("Tue, 14 Nov 2023 22:13:50 GMT", 30),
        ("Tue, 14 Nov 2023 22:13:10 GMT", 0),
        ("Tue, 99 Nov 2023 22:13:10 GMT", 0),
        ("9" * 5000, 999_999_999_999),
    ],
)
def test_retry_after(field: str, seconds: float) -> None:
    assert retry_after(field, NOW) == seconds


@given(st.text())
def test_retry_after_is_never_negative(field: str) -> None:
    assert retry_after(field, NOW) >= 0


@pytest.mark.parametrize(
    ("field", "address"),
    [
        ('</v2/x/tags/list?n=2&last=b>; rel="next"', "/v2/x/tags/list?n=2&last=b"),
        ('<a>; rel="prev", <b>; rel=next', "b"),
        ("<a>; rel=last", ""),
        ("nonsense", ""),
    ],
)
def test_next_link(field: str, address: str) -> None:
    assert next_link(field) == address


@pytest.mark.parametrize(("field", "start"), [("bytes 5-9/10", 5), ("bytes */10", -1), ("", -1), ("lines 1-2/3", -1)])
def test_range_start(field: str, start: int) -> None:
    assert range_start(field) == start


def test_plain_type() -> None:
    assert plain_type("Application/JSON ; charset=utf-8") == "application/json"
