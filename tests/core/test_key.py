"""Keys are the same for the same parts in any order, and differ with every part."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.key import cell_key, ingredients_of

texts = st.text(max_size=8)
fields = st.dictionaries(texts, st.one_of(texts, st.booleans(), st.dictionaries(texts, texts, max_size=3)), max_size=5)


@given(fields)
def test_the_order_of_fields_does_not_count(found: dict[str, object]) -> None:
    assert ingredients_of(found) == ingredients_of(dict(reversed(found.items())))


@given(fields, fields)
def test_different_fields_have_different_digests(one: dict[str, object], other: dict[str, object]) -> None:
    assert (ingredients_of(one) == ingredients_of(other)) is (one == other)


@given(st.dictionaries(texts, texts, max_size=4), st.dictionaries(texts, texts, max_size=4))
def test_parents_count(one: dict[str, str], other: dict[str, str]) -> None:
    ingredients = ingredients_of({"a": "b"})
    assert (cell_key(ingredients, one) == cell_key(ingredients, other)) is (one == other)


def test_open_inputs_are_named_once_and_are_no_part_of_the_key() -> None:
    one, other = ingredients_of({"a": "b"}, ["x", "x", "y"]), ingredients_of({"a": "b"})
    assert one.open == ("x", "y")
    assert cell_key(one, {}) == cell_key(other, {})
