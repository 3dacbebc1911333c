"""The key of a cell: one digest of everything that it is built from. Same key, same image."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from orchestrator.core.image import sha256

SCHEMA = 1
"""Part of every key; a new number means that all images are built again."""


@dataclass(frozen=True, slots=True)
class Ingredients:
    """What a cell is built from besides its parents. `open` names what may change without being noticed."""

    digest: str
    open: tuple[str, ...] = ()


def ingredients_of(fields: Mapping[str, object], open_inputs: Iterable[str] = ()) -> Ingredients:
    """The digest of fields that hold nothing but JSON's types."""
    return Ingredients(_digest({"schema": SCHEMA, **fields}), tuple(dict.fromkeys(open_inputs)))


def cell_key(ingredients: Ingredients, parents: Mapping[str, str]) -> str:
    """The key of a cell: its ingredients, and for each name of a parent in its Dockerfile the digest of that image.

    The digest of the parent's output, not its key, goes in: a parent that was built anew and came out the same
    changes nothing.
    """
    return _digest({"ingredients": ingredients.digest, "parents": dict(parents)})


def _digest(fields: Mapping[str, object]) -> str:
    text = json.dumps(fields, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return sha256(text.encode())
