"""The JSON Schema (2020-12) of manifests, made from the models, for editors and other tools."""

from __future__ import annotations

import json
from typing import Any

from orchestrator.manifest.model import ManifestModel

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ID = "urn:mabuild:manifest:1"
_VARIABLE = {
    "description": "A text with variables: ${NAME}, ${NAME:-default}, ${NAME:?message}",
    "type": "string",
    "pattern": r"\$",
    "examples": ["${NAME:-default}"],
}
_OR_VARIABLE = {"$ref": "#/$defs/Variable"}
_NARROW = frozenset({"type", "enum", "minimum", "maximum"})


def schema() -> dict[str, Any]:
    """The schema as a JSON object. It takes every shorthand, and a variable for every word, number and switch."""
    found = ManifestModel.model_json_schema()
    definitions = {_short(name): _adapted(inner) for name, inner in found.pop("$defs").items()}
    definitions["Service"]["required"] = ["image"]
    root = {"$schema": _DIALECT, "$id": _ID, "title": "mabuild", **_adapted(found), "required": ["version"]}
    return {**root, "$defs": {"Variable": _VARIABLE, **dict(sorted(definitions.items()))}}


def schema_text() -> str:
    """The schema as it stands in a file."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _short(name: str) -> str:
    return name.removesuffix("Model")


def _adapted(found: dict[str, Any]) -> dict[str, Any]:
    """One schema of pydantic as manifests are really written: any scalar may be a variable."""
    adapted = dict(_part(word, inner) for word, inner in found.items() if not _is_noise(word, inner))
    if adapted.get("additionalProperties") is False:
        adapted["patternProperties"] = {"^x-": True}
    return _opened(adapted)


def _is_noise(word: str, inner: object) -> bool:
    """Titles that repeat a name, and defaults that only say that there is none."""
    return word == "title" or (word == "default" and (inner == "" or not isinstance(inner, str | bool)))


def _part(word: str, inner: Any) -> tuple[str, Any]:  # noqa: ANN401
    match word:
        case "properties":
            return word, {key: _adapted(value) for key, value in inner.items()}
        case "items" | "additionalProperties" if isinstance(inner, dict):
            return word, _adapted(inner)
        case "oneOf" | "anyOf":
            return "anyOf", [_adapted(item) for item in inner]
        case "$ref":
            return word, _short(inner)
        case _:
            return word, inner


def _opened(found: dict[str, Any]) -> dict[str, Any]:
    """Lets a variable stand for everything that is narrower than a text."""
    if "enum" in found or found.get("type") in ("integer", "boolean"):
        narrow = {word: inner for word, inner in found.items() if word in _NARROW}
        rest = {word: inner for word, inner in found.items() if word not in _NARROW}
        return {**rest, "anyOf": [narrow, _OR_VARIABLE]}
    return found
