"""Which cells need not be built, and why the others do; and what every tag points at before anything moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from orchestrator.core.errors import MabuildError
from orchestrator.core.plan import Cell, CellId, Plan, TagNow
from orchestrator.core.reference import Reference

_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Looked:
    """What is known of a cell whose parents are unchanged: its key, and the digest that is published with that key.

    `open` names inputs that may have changed although the key is the same.
    """

    key: str
    digest: str = ""
    open: tuple[str, ...] = ()


Look = Callable[[Cell, Mapping[CellId, str]], Looked]
"""Looks a cell up, given the digests of its parents. Called from several threads."""


def with_unchanged(plan: Plan, look: Look) -> Plan:
    """The plan with keys, what is unchanged, and a reason for every cell; wave by wave, each side by side."""
    known: dict[CellId, Cell] = {}
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for wave in sorted({cell.wave for cell in plan.cells}):
            cells = [cell for cell in plan.cells if cell.wave == wave]
            for cell in pool.map(lambda cell: _looked(cell, known, look), cells):
                known[cell.id] = cell
    return replace(plan, cells=tuple(known[cell.id] for cell in plan.cells))


def _looked(cell: Cell, known: Mapping[CellId, Cell], look: Look) -> Cell:
    changed = [need for need in cell.needs if not known[need].unchanged]
    if changed:
        return replace(cell, reason=f"{changed[0]} is built anew")
    found = look(cell, {need: known[need].unchanged_digest for need in cell.needs})
    if found.digest:
        return replace(cell, key=found.key, unchanged_digest=found.digest, reason="published with the same key")
    return replace(cell, key=found.key, reason=_why_built(found))


def _why_built(found: Looked) -> str:
    if not found.key:
        return "its key is not known"
    return f"may have changed: {found.open[0]}" if found.open else "nothing published has its key"


def tags_now(plan: Plan, digest_of: Callable[[Reference], str]) -> tuple[TagNow, ...]:
    """What the tags of all planned services point at; `digest_of` gives nothing for a tag that is not there."""
    references = [
        image.with_tag(tag)
        for planned in plan.services
        for image in planned.service.images
        for tag in planned.service.tags
    ]
    if not references:
        return ()
    with ThreadPoolExecutor(min(_AT_ONCE, len(references))) as pool:
        return tuple(pool.map(lambda reference: _tag_now(reference, digest_of), references))


def _tag_now(reference: Reference, digest_of: Callable[[Reference], str]) -> TagNow:
    try:
        return TagNow(str(reference), digest_of(reference))
    except MabuildError as error:
        return TagNow(str(reference), unknown=error.message)
