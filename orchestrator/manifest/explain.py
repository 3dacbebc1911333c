"""What pydantic finds wrong, said in the manifest's own words at the place where it is written."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from orchestrator.core.finding import Finding
from orchestrator.manifest.mistake import mistake, suggestion
from orchestrator.manifest.model import ManifestModel
from orchestrator.manifest.node import Document, MappingNode, Node, Path, ScalarNode, SequenceNode

_NOT_HERE = "mabuild builds images and runs nothing, so this has no meaning here"
_OTHER_WORDS = {
    "build": "context, dockerfile, target and args stand in the service itself",
    "additional_contexts": "the key is `contexts`",
    "additional-contexts": "the key is `contexts`",
    "cache_from": "write `cache: {type: registry, ref: …}`",
    "cache_to": "write `cache: {type: registry, ref: …}`",
    "cache-from": "write `cache: {type: registry, ref: …}`",
    "cache-to": "write `cache: {type: registry, ref: …}`",
    "secret": "the key is `secrets`",
    "dockerfile_inline": "write the Dockerfile to a file",
    "dockerfile-inline": "write the Dockerfile to a file",
    "extends": "use a YAML anchor and `<<`",
    "inherits": "use a YAML anchor and `<<`",
    "target": "the key is `services`",
    "output": "say it when building: `--push`, `--load` or `--output`",
    "include": "name several files with -f, or a folder",
    **dict.fromkeys(("ports", "volumes", "environment", "env_file", "command", "entrypoint", "networks"), _NOT_HERE),
    **dict.fromkeys(("restart", "healthcheck", "deploy", "profiles", "container_name"), _NOT_HERE),
}
_TYPES = {
    "string_type": "text",
    "tuple_type": "a list",
    "dict_type": "a map",
    "model_type": "a map",
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_parsing_size": "a whole number",
}
_LISTS_OF_WORDS = frozenset({"platforms", "tags", "depends_on", "ignore", "monotonic", "mirrors"})
_BOUNDS = {"greater_than_equal": ("least", "ge"), "less_than_equal": ("most", "le")}


@dataclass(frozen=True, slots=True)
class Wrong:
    """One error of pydantic: its kind, the value that it is about, and what it tells beside that."""

    kind: str
    path: Path
    context: Mapping[str, Any]
    text: str

    @classmethod
    def all_of(cls, error: ErrorDetails) -> tuple[Wrong, ...]:
        """The errors that pydantic gives as one."""
        context = error.get("ctx", {})
        return tuple(
            cls(kind, (*error["loc"], *inner.get("at", ())), inner, text)
            for kind, inner, text in _parts(error["type"], context, error["msg"])
        )


def _parts(kind: str, context: Mapping[str, Any], text: str) -> list[tuple[str, Mapping[str, Any], str]]:
    if "several" not in context:
        return [(kind, context, text)]
    return [(part.type, part.context or {}, part.message()) for part in context["several"]]


def explain(wrong: Wrong, document: Document) -> Finding:
    """The finding for one error."""
    path = wrong.path
    if wrong.kind == "extra_forbidden":
        known = known_keys(path[:-1])
        word = str(path[-1])
        other = _OTHER_WORDS.get(word) if word not in known else None
        message = f"unknown key `{word}`{f'; {other}' if other else suggestion(word, known)}"
        return mistake("unknown-key", document.place(document.key(path)), f"{dotted(path[:-1])}{message}")
    node = document.find(path)
    rule, message = _said(wrong, node)
    by_key = bool(wrong.context.get("at")) and isinstance(path[-1], str)
    return mistake(rule, document.place(document.key(path) if by_key else node), f"{dotted(path)}{message}")


def dotted(path: Path) -> str:
    """`services.api.tags[0]: ` for the start of a message; nothing for the root."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return f"{text.removeprefix('.')}: " if text else ""


def _said(wrong: Wrong, node: Node) -> tuple[str, str]:
    if isinstance(node, ScalarNode) and node.is_null:
        return "wrong-type", "this key has no value; remove it or give it one"
    if "hidden" in wrong.context:
        return wrong.kind, wrong.context["hidden" if came_from_variables(node) else "message"]
    if wrong.kind in _TYPES:
        return "wrong-type", f"this has to be {_TYPES[wrong.kind]}{_but(wrong, node)}"
    if wrong.kind == "enum":
        expected = str(wrong.context["expected"]).replace("'", "")
        near = suggestion(_shown(node), expected.replace(" or ", ", ").split(", "))
        return "wrong-value", f"this has to be {expected}{near}"
    if wrong.kind in _BOUNDS:
        word, bound = _BOUNDS[wrong.kind]
        return "wrong-value", f"this has to be at {word} {wrong.context[bound]}"
    return "wrong-value", wrong.text


def _but(wrong: Wrong, node: Node) -> str:
    if wrong.kind in {"bool_parsing", "int_parsing", "int_parsing_size"}:
        return ""
    found = {ScalarNode: "text", SequenceNode: "a list", MappingNode: "a map"}.get(type(node), "")
    example = f"; write [{_shown(node)}]" if wrong.path[-1] in _LISTS_OF_WORDS and _shown(node) else ""
    return f", not {found}{example}" if found else ""


def _shown(node: Node) -> str:
    return node.text if isinstance(node, ScalarNode) and len(node.text) < 80 and "\n" not in node.text else ""


def came_from_variables(node: Node) -> bool:
    """Whether a text, or one below, has variables in it: then its value is not shown."""
    match node:
        case ScalarNode():
            return "$" in node.text
        case SequenceNode():
            return any(came_from_variables(item) for item in node.items)
        case MappingNode():
            return any(came_from_variables(entry.value) for entry in node.entries.values())


def known_keys(path: Path) -> tuple[str, ...]:
    """The keys that may stand in the map at a path; none where any may."""
    model: type[BaseModel] = ManifestModel
    steps = iter(path)
    for step in steps:
        fields = {field.alias or name: field for name, field in model.model_fields.items()}
        field = fields.get(str(step))
        inner, many = _model_in(field.annotation) if field else (None, False)
        if inner is None:
            return ()
        model = inner
        if many:
            next(steps, None)
    return tuple(field.alias or name for name, field in model.model_fields.items())


def _model_in(annotation: object) -> tuple[type[BaseModel] | None, bool]:
    """The model that a field holds, and whether it holds several of them by name or number."""
    if isinstance(annotation, type) and not get_origin(annotation) and issubclass(annotation, BaseModel):
        return annotation, False
    several = get_origin(annotation) in {dict, tuple}
    for part in get_args(annotation):
        model, _ = _model_in(part) if not isinstance(part, types.EllipsisType) else (None, False)
        if model is not None:
            return model, several
    return None, False
