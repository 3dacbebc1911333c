"""JSON objects together with the text of their parts, for content whose bytes must be carried on unchanged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from orchestrator.registry.errors import MalformedError

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class JsonText:
    """An object, its text, and where in the text the value of each member begins and ends."""

    value: dict[str, object]
    text: str
    members: dict[str, tuple[int, int]]

    def member(self, name: str) -> JsonText | None:
        """A member that is an object itself, None where there is none."""
        found = self.value.get(name)
        if not isinstance(found, dict):
            return None
        begin, end = self.members[name]
        return JsonText(cast("dict[str, object]", found), self.text[begin:end], {})

    def elements(self, name: str, most: int) -> tuple[JsonText, ...]:
        """The objects in a list; whatever else is in it is left out. MalformedError for more than `most`."""
        values = self.value.get(name)
        if not isinstance(values, list):
            return ()
        if len(values) > most:
            raise MalformedError(f"`{name}` has {len(values):,} entries; at most {most:,} are read")
        spans = _element_spans(self.text, self.members[name][0])
        return tuple(
            JsonText(cast("dict[str, object]", value), self.text[begin:end], {})
            for value, (begin, end) in zip(values, spans, strict=True)
            if isinstance(value, dict)
        )


def parse_text(content: bytes) -> JsonText:
    """Read bytes that must be a JSON object in UTF-8; MalformedError where they are not."""
    try:
        text = content.decode("utf-8")
        value = json.loads(text)
        if not isinstance(value, dict):
            raise MalformedError("it is not a JSON object")
        return JsonText(cast("dict[str, object]", value), text, dict(_member_spans(text)))
    except UnicodeDecodeError as error:
        raise MalformedError("it is not text in UTF-8") from error
    except RecursionError as error:
        raise MalformedError("it is JSON nested too deep") from error
    except ValueError as error:
        raise MalformedError(f"it is not JSON: {error}") from error


def _member_spans(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """The members of the outermost object of well-formed JSON."""
    place = _skip(text, _skip(text, 0) + 1)
    while text[place] != "}":
        name, place = _DECODER.raw_decode(text, place)
        begin = _skip(text, _skip(text, place) + 1)
        _, end = _DECODER.raw_decode(text, begin)
        yield name, (begin, end)
        place = _next(text, end)


def _element_spans(text: str, place: int) -> Iterator[tuple[int, int]]:
    """The elements of the list that begins at a place of well-formed JSON."""
    place = _skip(text, place + 1)
    while text[place] != "]":
        _, end = _DECODER.raw_decode(text, place)
        yield place, end
        place = _next(text, end)


def _next(text: str, place: int) -> int:
    place = _skip(text, place)
    return _skip(text, place + 1) if text[place] == "," else place


def _skip(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return match.end() if match else place
