"""Bake files: the JSON that `docker buildx bake --print` makes of HCL, JSON and compose files becomes a manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator.core.errors import UsageError
from orchestrator.core.platform import Platform
from orchestrator.manifest.draft import DraftService, OptionalPairs
from orchestrator.manifest.importing.imported import (
    CACHE_ADVICE,
    NOWHERE,
    Imported,
    Notes,
    context_path,
    relative_path,
    settled,
    split_images,
    without_platform_arguments,
)
from orchestrator.manifest.local import is_remote

_LARGEST = 16 << 20
_CARRIED = frozenset(
    {"context", "contexts", "dockerfile", "target", "args", "labels", "annotations", "tags", "platforms"}
    | {"secret", "ssh", "attest", "description", "output", "dockerfile-inline"}
)
_ADVICE = {
    "cache-from": CACHE_ADVICE,
    "cache-to": CACHE_ADVICE,
    "no-cache": "say `--no-cache` when building",
    "pull": "say `--pull` when building",
    "call": "only builds are carried over",
}


def import_bake(text: str, path: str, *, directory: Path, folder: Path) -> Imported:
    """The manifest of a bake file. `text` is what `--print` printed for the file `path`.

    Paths in it are relative to `directory`; in the manifest they are relative to `folder`, where it will stand.
    Raises UsageError for what is no such JSON.
    """
    targets, groups = _parsed(text, path)
    notes = Notes()
    reader = _Reader(path, directory, folder, notes, frozenset(targets))
    services = [reader.service(name, target) for name, target in targets.items() if reader.can_build(name, target)]
    for name in groups:
        if name != "default":
            notes.add(NOWHERE, f"{path}: the group `{name}` is left out; name its services when building")
    comment = (f"Imported from {path}.",)
    return settled(services, comment, notes)


def _parsed(text: str, path: str) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    hint = "it has to be what `docker buildx bake --print` prints"
    if len(text) > _LARGEST:
        raise UsageError(f"the targets of {path} are larger than {_LARGEST >> 20} MiB", hint=hint)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the targets of {path} are no JSON", hint=hint) from error
    targets = found.get("target") if isinstance(found, dict) else None
    if not isinstance(targets, dict) or not all(isinstance(target, dict) for target in targets.values()):
        raise UsageError(f"{path} has no targets", hint=hint)
    groups = found.get("group")
    return targets, groups if isinstance(groups, dict) else {}


@dataclass(frozen=True, slots=True)
class _Reader:
    path: str
    directory: Path
    folder: Path
    notes: Notes
    targets: frozenset[str]

    def can_build(self, name: str, target: Mapping[str, Any]) -> bool:
        """Whether mabuild can build the target at all; why not is noted."""
        context = _text(target.get("context", "."))
        if "dockerfile-inline" in target:
            self._note(name, "it is left out: its Dockerfile stands in the bake file; write it to a file of its own")
            return False
        if is_remote(context):
            self._note(name, f"it is left out: its context {context} is no local folder")
            return False
        return True

    def service(self, name: str, target: Mapping[str, Any]) -> DraftService:
        """The service of a target."""
        for key in target:
            if key not in _CARRIED:
                advice = f"; {_ADVICE[key]}" if key in _ADVICE else ""
                self._note(name, f"`{key}` is left out{advice}")
        images, tags = self._images(name, target)
        description = target.get("description")
        service = DraftService(
            name=name,
            images=images,
            tags=tags,
            context=self._local(_text(target.get("context", "."))),
            dockerfile=_unless(_text(target.get("dockerfile")), "Dockerfile"),
            target=_text(target.get("target")),
            platforms=self._platforms(name, target),
            args=_pairs(target.get("args")),
            labels=_pairs(target.get("labels")),
            annotations=_pairs(target.get("annotations")),
            contexts=tuple((key, self._context(value)) for key, value in _pairs(target.get("contexts"))),
            secrets=tuple(self._secret(_fields(secret)) for secret in _items(target.get("secret"))),
            ssh=tuple(self._ssh(item) for item in _items(target.get("ssh"))),
            attest=_attest(target.get("attest")),
            comment=tuple(_text(description).splitlines()) if description else (),
        )
        return without_platform_arguments(service, NOWHERE, self.notes)

    def _note(self, name: str, message: str) -> None:
        self.notes.add(NOWHERE, f"{self.path}: target `{name}`: {message}")

    def _images(self, name: str, target: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        references = [_text(tag) for tag in _items(target.get("tags"))]
        if not references:
            self._note(name, f"it has no `tags`, so its image is called `{name.lower()}`")
            return (name.lower(),), ()
        images, tags, equal = split_images(references)
        if not equal:
            self._note(name, "its repositories have different tags; mabuild gives all tags to all of them")
        return images, tags

    def _platforms(self, name: str, target: Mapping[str, Any]) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for text in map(_text, _items(target.get("platforms"))):
            try:
                found[str(Platform.parse(text))] = None
            except UsageError:
                self._note(name, f"the platform {text} is left out: it is not known")
        return tuple(found)

    def _context(self, value: str | None) -> str:
        text = value or ""
        if text.startswith("target:"):
            return f"service:{text.removeprefix('target:')}"
        return context_path(text, self.directory, self.folder)

    def _local(self, text: str) -> str:
        return relative_path(text, self.directory, self.folder)

    def _secret(self, fields: Mapping[str, str]) -> OptionalPairs:
        source = fields.get("src") or fields.get("source") or ""
        name = fields.get("id", "")
        if source or not (fields.get("env") or name.isidentifier()):
            return (("id", name), ("file", self._local(source or name)))
        return (("id", name), ("env", fields.get("env") or name))

    def _ssh(self, item: object) -> str:
        if isinstance(item, str):
            return item
        fields = item if isinstance(item, dict) else {}
        paths = ",".join(self._local(_text(path)) for path in _items(fields.get("paths")))
        return f"{_text(fields.get('id'))}{'=' if paths else ''}{paths}"


def _text(value: object) -> str:
    """A text in which nothing is a variable: bake has filled them in."""
    return "" if value is None else str(value).replace("$", "$$")


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _unless(text: str, usual: str) -> str:
    return "" if text == usual else text


def _pairs(value: object) -> OptionalPairs:
    if isinstance(value, dict):
        return tuple((str(key), None if inner is None else _text(inner)) for key, inner in value.items())
    split = (_text(item).partition("=") for item in _items(value))
    return tuple((key, inner if equals else None) for key, equals, inner in split)


def _fields(value: object) -> dict[str, str]:
    """The fields of `{"id": "a", "env": "A"}` or of `id=a,env=A`."""
    if isinstance(value, dict):
        return {str(key): _text(inner) for key, inner in value.items()}
    return {key: inner for key, _, inner in (part.partition("=") for part in _text(value).split(","))}


def _attest(value: object) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for fields in map(_fields, _items(value)):
        disabled = fields.get("disabled") == "true"
        if fields.get("type") == "provenance":
            found["provenance"] = "false" if disabled else "max" if fields.get("mode") == "max" else "min"
        elif fields.get("type") == "sbom":
            found["sbom"] = "false" if disabled else "true"
    return tuple(found.items())
