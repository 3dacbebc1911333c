from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.registry.errors import MalformedError
from orchestrator.registry.json_spans import parse_text

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), values, max_size=5), st.sampled_from([None, 0, 3]), st.booleans())
def test_every_member_is_found_with_its_text(value: dict[str, object], indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    try:
        content = f" \n{text}\t".encode()
    except UnicodeEncodeError:
        return
    found = parse_text(content)
    assert found.value == value
    for name, (begin, end) in found.members.items():
        assert json.loads(found.text[begin:end]) == value[name]
    assert set(found.members) == set(value)


@given(st.lists(st.dictionaries(st.text(), st.integers()) | st.integers()), st.sampled_from([None, 2]))
def test_elements_keep_their_text(entries: list[object], indent: int | None) -> None:
    found = parse_text(json.dumps({"a": entries, "b": 1}, indent=indent).encode()).elements("a", 1000)
    assert [json.loads(element.text) for element in found] == [entry for entry in entries if isinstance(entry, dict)]


def test_the_last_of_two_members_of_one_name_counts() -> None:
    assert [element.text for element in parse_text(b'{"a":[{"x":1}],"a":[{"x": 2}]}').elements("a", 9)] == ['{"x": 2}']


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[]", "not a JSON object"),
        (b"\xff{}", "not text in UTF-8"),
        (b'{"a":' + b"[" * 200_000, "nested too deep"),
        (b'{"a":' + b"[" * 200_000 + b"]" * 200_000 + b"}", "nested too deep"),
        (b'{"a":' + b"1" * 10_000 + b"}", "not JSON"),
    ],
)
def test_what_is_no_object_is_told(content: bytes, reason: str) -> None:
    with pytest.raises(MalformedError, match=reason):
        parse_text(content)


def test_too_many_elements() -> None:
    with pytest.raises(MalformedError, match="5 entries; at most 4"):
        parse_text(b'{"a":[1,2,3,4,5]}').elements("a", 4)
