"""The order of a graph: waves of names that need nothing but earlier waves, and the way round a cycle."""

from __future__ import annotations

from collections.abc import Mapping

Needs = Mapping[str, tuple[str, ...]]


def waves(needs: Needs) -> dict[str, int]:
    """The wave of every name, from 0; names in or behind a cycle are left out."""
    waiting = {name: set(parents) for name, parents in needs.items()}
    found: dict[str, int] = {}
    number = 0
    while ready := [name for name, parents in waiting.items() if not parents]:
        for name in ready:
            found[name] = number
            del waiting[name]
        for parents in waiting.values():
            parents.difference_update(ready)
        number += 1
    return found


def cycle(needs: Needs) -> tuple[str, ...]:
    """The names of one cycle in the order of need, or nothing; each needs the next, and the last needs the first."""
    ordered = waves(needs)
    name = next((name for name in needs if name not in ordered), "")
    way: list[str] = []
    while name and name not in way:
        way.append(name)
        name = next(parent for parent in needs[name] if parent not in ordered)
    return tuple(way[way.index(name) :]) if name else ()


def dependents(needs: Needs, name: str) -> frozenset[str]:
    """All names that need a name, directly or through others; not the name itself."""
    found: set[str] = set()
    reached = {name}
    while reached:
        reached = {child for child, parents in needs.items() if reached & set(parents)} - found
        found |= reached
    return frozenset(found - {name})


def ancestors(needs: Needs, names: frozenset[str]) -> frozenset[str]:
    """The names themselves and everything that they need, directly or through others."""
    found = set(names)
    reached = set(names)
    while reached:
        reached = {parent for name in reached for parent in needs[name]} - found
        found |= reached
    return frozenset(found)
