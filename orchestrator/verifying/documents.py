"""Reading JSON documents that others wrote: whatever is in them, the answer is a value or a ContentError."""

from __future__ import annotations

import json
from typing import cast

JsonObject = dict[str, object]


class ContentError(ValueError):
    """Bytes that are no document of the kind that they should be."""


def parse_object(content: bytes) -> JsonObject:
    """The JSON object of some bytes."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ContentError("it is not JSON") from error
    if not isinstance(value, dict):
        raise ContentError("it is not a JSON object")
    return cast("JsonObject", value)


def mapping(source: JsonObject, *keys: str) -> JsonObject:
    """The object at a path of keys; empty where there is none."""
    for key in keys:
        value = source.get(key)
        source = cast("JsonObject", value) if isinstance(value, dict) else {}
    return source


def mappings(source: JsonObject, key: str) -> tuple[JsonObject, ...]:
    """The objects of a list; everything else in it is left out."""
    value = source.get(key)
    entries = value if isinstance(value, list) else []
    return tuple(cast("JsonObject", entry) for entry in entries if isinstance(entry, dict))


def text(source: JsonObject, key: str) -> str:
    """A text; empty where there is none."""
    value = source.get(key)
    return value if isinstance(value, str) else ""


def texts(source: JsonObject, key: str) -> tuple[str, ...]:
    """The texts of a list; everything else in it is left out."""
    value = source.get(key)
    return tuple(entry for entry in value if isinstance(entry, str)) if isinstance(value, list) else ()
