"""Compose files: every service with `build:` becomes a service of a manifest."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from orchestrator.core.errors import UsageError
from orchestrator.core.platform import Platform
from orchestrator.manifest.document import read_document
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
from orchestrator.manifest.importing.layers import EMPTY, Layer, Library, at, every, joined, last, pairs, text, texts
from orchestrator.manifest.interpolation import expand
from orchestrator.manifest.local import is_remote
from orchestrator.manifest.node import Document, MappingNode, Node, SequenceNode

_CARRIED = frozenset(
    {"context", "dockerfile", "target", "args", "labels", "tags", "platforms", "additional_contexts", "secrets", "ssh"}
    | {"provenance", "sbom", "dockerfile_inline", "x-bake"}
)
_BAKE_CARRIED = frozenset({"tags", "platforms"})
_ADVICE = {
    "cache_from": CACHE_ADVICE,
    "cache_to": CACHE_ADVICE,
    "no_cache": "say `--no-cache` when building",
    "pull": "say `--pull` when building",
}
_PROVENANCE = {"true": "min", "mode=min": "min", "mode=max": "max", "false": "false"}


def import_compose(content: str, path: str, *, directory: Path, folder: Path) -> Imported:
    """The manifest of a compose file with the text `content`; variables and their defaults are kept.

    `directory` is the folder of the file; paths in the manifest are relative to `folder`, where it will stand.
    Raises ManifestError for what is no YAML, and UsageError where nothing in it is built.
    """
    document = read_document(content, path)
    notes = Notes()
    for finding in document.findings:
        notes.add_finding(finding)
    services = at(document.root, "services")
    if not isinstance(services, MappingNode) or services is EMPTY:
        raise UsageError(f"{path} has no services", hint="is it a compose file?")
    reader = _Reader(document, directory, folder, notes, Library(notes))
    found = [reader.service(name) for name in services.entries if reader.is_built(name)]
    if not found:
        raise UsageError(f"no service of {path} is built", hint="only services with `build:` can be carried over")
    reader.note_the_rest(services)
    reader.note_variables(found)
    comment = (f"Imported from {path}: what builds its images. Running them stays with compose.",)
    return settled(found, comment, notes)


@dataclass(frozen=True, slots=True)
class _Reader:
    document: Document
    directory: Path
    folder: Path
    notes: Notes
    library: Library

    def layers(self, name: str) -> tuple[Layer, ...]:
        """A service with what it extends."""
        return self.library.layers(self.document, self.directory, name)

    def is_built(self, name: str) -> bool:
        """Whether mabuild can build the service; why not is noted."""
        layers = self.layers(name)
        if all(at(layer.service, "build") is EMPTY for layer in layers):
            return False
        layer, inline = last(layers, "dockerfile_inline")
        if inline is not EMPTY:
            self._note(
                layer, inline, name, "it is left out: its Dockerfile stands in it; write it to a file of its own"
            )
            return False
        layer, context = last(layers, "context")
        if is_remote(text(context)):
            self._note(layer, context, name, f"it is left out: its context {text(context)} is no local folder")
            return False
        return True

    def service(self, name: str) -> DraftService:
        """The service of a manifest for a service that is built."""
        layers = self.layers(name)
        self._note_left_out(layers, name)
        images, tags = self._images(layers, name)
        context_layer, context = last(layers, "context")
        service = DraftService(
            name=name,
            images=images,
            tags=tags,
            context=self._local(context_layer, text(context) or "."),
            dockerfile="" if (file := text(last(layers, "dockerfile")[1])) == "Dockerfile" else file,
            target=text(last(layers, "target")[1]),
            platforms=self._platforms(layers, name),
            args=joined(layers, "args"),
            labels=joined(layers, "labels"),
            contexts=self._contexts(layers, name),
            secrets=tuple(self._secrets(layers, name)),
            ssh=self._ssh(layers),
            attest=_attest(layers),
        )
        return without_platform_arguments(service, layers[-1].place(layers[-1].service), self.notes)

    def note_the_rest(self, services: MappingNode) -> None:
        """Note what is not about one service that is built."""
        others = [name for name in services.entries if all(at(x.service, "build") is EMPTY for x in self.layers(name))]
        if others:
            place = self.document.place(services)
            self.notes.add(place, f"these services have no `build` and are left out: {', '.join(others)}")
        include = at(self.document.root, "include")
        if include is not EMPTY:
            self.notes.add(self.document.place(include), "`include` is left out; import those files as well")

    def note_variables(self, services: list[DraftService]) -> None:
        """Note variables that mabuild asks for, where compose is content with nothing or reads `.env`."""
        found: dict[str, None] = {}
        for service in services:
            for field in fields(service):
                for word in _words(getattr(service, field.name)):
                    found.update(dict.fromkeys(gap.variable for gap in expand(word, lambda _: None).gaps))
        for name in filter(None, found):
            message = (
                f"${{{name}}} has to be set in the environment: mabuild reads no .env, and refuses what is not set"
            )
            self.notes.add(NOWHERE, f"{self.document.path}: {message}")

    def _note(self, layer: Layer, node: Node, name: str, message: str) -> None:
        self.notes.add(layer.place(node), f"{name}: {message}")

    def _note_left_out(self, layers: tuple[Layer, ...], name: str) -> None:
        for layer in layers:
            for key, entry in layer.build().entries.items():
                if key not in _CARRIED and not key.startswith("x-"):
                    advice = f"; {_ADVICE[key]}" if key in _ADVICE else ""
                    self.notes.add(layer.place(entry), f"{name}: `{key}` is left out{advice}")
            bake = at(layer.build(), "x-bake")
            for key, entry in bake.entries.items() if isinstance(bake, MappingNode) else ():
                if key not in _BAKE_CARRIED:
                    self.notes.add(layer.place(entry), f"{name}: `x-bake: {key}` is left out")
            profiles = at(layer.service, "profiles")
            if profiles is not EMPTY:
                self._note(layer, profiles, name, "its profiles are left out; name services when building")

    def _images(self, layers: tuple[Layer, ...], name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        image = next((text(at(x.service, "image")) for x in reversed(layers) if text(at(x.service, "image"))), "")
        tags = [
            tag for keys in (("tags",), ("x-bake", "tags")) for _, node in every(layers, *keys) for tag in texts(node)
        ]
        if not image and not tags:
            layer = layers[-1]
            self._note(layer, layer.service, name, f"it has no `image`, so its image is called `{name.lower()}`")
            return (name.lower(),), ()
        images, found, equal = split_images(dict.fromkeys([*([image] if image else []), *tags]))
        if not equal:
            self._note(
                layers[-1], layers[-1].service, name, "its repositories have different tags; all get all of them"
            )
        return images, found

    def _platforms(self, layers: tuple[Layer, ...], name: str) -> tuple[str, ...]:
        layer, node = last(layers, "x-bake", "platforms")
        if node is EMPTY:
            layer, node = last(layers, "platforms")
        fixed = at(layers[-1].service, "platform")
        if node is EMPTY and fixed is not EMPTY:
            self._note(
                layers[-1], fixed, name, f"`platform: {text(fixed)}` is left out, so that all platforms are built"
            )
        found: dict[str, None] = {}
        for word in texts(node):
            try:
                found[word if "$" in word else str(Platform.parse(word))] = None
            except UsageError:
                self._note(layer, node, name, f"the platform {word} is left out: it is not known")
        return tuple(found)

    def _contexts(self, layers: tuple[Layer, ...], name: str) -> OptionalPairs:
        found: dict[str, str | None] = {}
        for layer, node in every(layers, "additional_contexts"):
            for key, value in pairs(node):
                word = value or ""
                if word.startswith("service:") and not self.is_built(word.removeprefix("service:")):
                    self._note(layer, node, name, f"the context `{key}` is left out: {word} is not built")
                else:
                    found[key] = context_path(word, layer.directory, self.folder)
        return tuple(found.items())

    def _secrets(self, layers: tuple[Layer, ...], name: str) -> list[OptionalPairs]:
        found: dict[str, OptionalPairs] = {}
        for layer, node in every(layers, "secrets"):
            for item in node.items if isinstance(node, SequenceNode) else ():
                source = text(item) or text(at(item, "source"))
                target = text(at(item, "target")) or source
                origin = self._secret_origin(layer, source)
                if not origin:
                    self._note(layer, item, name, f"the secret `{source}` is left out: it has no file and no variable")
                else:
                    found[target] = (("id", target), origin)
        return list(found.values())

    def _secret_origin(self, layer: Layer, source: str) -> tuple[str, str] | None:
        described = at(layer.document.root, "secrets", source)
        file, variable = text(at(described, "file")), text(at(described, "environment"))
        if file:
            return "file", self._local(layer, file)
        return ("env", variable) if variable else None

    def _ssh(self, layers: tuple[Layer, ...]) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for layer, node in every(layers, "ssh"):
            for name, path in pairs(node):
                found[f"{name}={self._local(layer, path)}" if path else name] = None
        return tuple(found)

    def _local(self, layer: Layer, word: str) -> str:
        if word.startswith("$") and layer.directory != self.folder:
            self.notes.add(layer.place(layer.service), f"the path {word} begins with a variable and is left as it is")
        return relative_path(word, layer.directory, self.folder)


def _attest(layers: tuple[Layer, ...]) -> tuple[tuple[str, str], ...]:
    provenance, sbom = text(last(layers, "provenance")[1]), text(last(layers, "sbom")[1])
    found = [("provenance", _PROVENANCE.get(provenance, "min"))] if provenance else []
    return (*found, *([("sbom", "false" if sbom == "false" else "true")] if sbom else []))


def _words(value: object) -> list[str]:
    if isinstance(value, tuple):
        return [word for item in value for word in _words(item)]
    return [value] if isinstance(value, str) else []
