"""Waves and cycles on random graphs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.planning.waves import ancestors, cycle, dependents, waves

_NAMES = [f"s{number}" for number in range(12)]


@st.composite
def acyclic(draw: st.DrawFn) -> dict[str, tuple[str, ...]]:
    """A random graph in which names need earlier names only, in a random order of writing."""
    needs = {
        name: tuple(draw(st.lists(st.sampled_from(_NAMES[:position]), unique=True))) if position else ()
        for position, name in enumerate(_NAMES)
    }
    order = draw(st.permutations(_NAMES))
    return {name: needs[name] for name in order}


@given(acyclic())
def test_every_name_comes_directly_after_the_last_of_its_needs(needs: dict[str, tuple[str, ...]]) -> None:
    found = waves(needs)
    assert set(found) == set(needs)
    for name, parents in needs.items():
        assert found[name] == max((found[parent] + 1 for parent in parents), default=0)
    assert cycle(needs) == ()


@given(acyclic(), st.sampled_from(_NAMES), st.sampled_from(_NAMES))
def test_an_edge_back_makes_a_cycle_that_is_shown_whole(
    needs: dict[str, tuple[str, ...]], one: str, other: str
) -> None:
    child, parent = max(one, other, key=_NAMES.index), min(one, other, key=_NAMES.index)
    closed = needs | {
        child: tuple(dict.fromkeys((*needs[child], parent))),
        parent: tuple(dict.fromkeys((*needs[parent], child))),
    }
    way = cycle(closed)
    assert way
    assert len(set(way)) == len(way)
    for name, following in zip(way, (*way[1:], way[0]), strict=True):
        assert following in closed[name]
    assert set(way).isdisjoint(waves(closed))


@given(acyclic(), st.sampled_from(_NAMES))
def test_dependents_and_ancestors_are_each_others_mirror(needs: dict[str, tuple[str, ...]], name: str) -> None:
    children = dependents(needs, name)
    assert name not in children
    for other in _NAMES:
        is_above = name in ancestors(needs, frozenset({other})) and other != name
        assert (other in children) == is_above


def test_a_name_that_needs_itself_is_a_cycle_of_one() -> None:
    assert cycle({"a": ("a",), "b": ("a",)}) == ("a",)


def test_a_chain_of_thousands_needs_no_recursion() -> None:
    needs: dict[str, tuple[str, ...]] = {"0": ()}
    needs |= {str(number): (str(number - 1),) for number in range(1, 3000)}
    assert waves(needs)["2999"] == 2999
