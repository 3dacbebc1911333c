"""Recipes from Dockerfiles: what the stages that a target needs take from the fleet and from registries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from orchestrator.core.errors import DockerfileError, UsageError
from orchestrator.core.fleet import Fleet, Place, Service
from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference
from orchestrator.dockerfile.graph import UseKind, context_name
from orchestrator.dockerfile.parse import Dockerfile, read
from orchestrator.dockerfile.resolve import Resolved, ResolvedStage, Use, resolve
from orchestrator.planning.recipe import Execution, ImageUse, ParentUse, Recipe, Trait
from orchestrator.planning.traits import command_traits, image_traits

_OF_THE_FLEET = ("service:", "target:")
_IMAGE = "docker-image://"


@dataclass
class DockerfileRecipes:
    """Reads every Dockerfile once, and finds the fleet's own images in it. Raises DockerfileError and UsageError.

    Files in `directory` (absolute) or below are named relative to it in messages and findings.
    """

    fleet: Fleet
    directory: Path | None = None
    files: dict[Path, Dockerfile] = field(default_factory=dict)

    def __call__(self, service: Service, target: Platform, builder: Platform) -> Recipe:
        """The recipe of a service for a target platform on a machine of the builder's platform."""
        contexts = {context_name(name): value for name, value in service.contexts}
        resolved = resolve(
            self._dockerfile(service.dockerfile),
            target=service.target,
            args=dict(service.args),
            platform=target,
            build_platform=builder,
            contexts=tuple(contexts),
        )
        path = self._name(service.dockerfile)
        parents: dict[ParentUse, None] = {}
        images: dict[ImageUse, None] = {}
        for use, written in _external_uses(resolved):
            found = self._found(use, written, contexts, path)
            if isinstance(found, ParentUse):
                parents[found] = None
            elif found is not None:
                images[found] = None
        traits = tuple(dict.fromkeys((*_of_images(images), *_of_commands(resolved, path))))
        return Recipe(tuple(parents), tuple(images), tuple(_executions(resolved, path)), traits)

    def _dockerfile(self, path: Path) -> Dockerfile:
        if path not in self.files:
            self.files[path] = read(path, self._name(path))
        return self.files[path]

    def _name(self, path: Path) -> str:
        if self.directory is None or not path.is_relative_to(self.directory):
            return str(path)
        return str(path.relative_to(self.directory))

    @cached_property
    def _by_repository(self) -> Mapping[str, tuple[Service, ...]]:
        found: dict[str, tuple[Service, ...]] = {}
        for service in self.fleet.services:
            for image in service.images:
                found[image.name] = (*found.get(image.name, ()), service)
        return found

    def _found(self, use: Use, written: str, contexts: Mapping[str, str], path: str) -> ParentUse | ImageUse | None:
        place = Place(path, use.line, use.column)
        context = contexts.get(context_name(use.name)) if use.name else None
        if context is not None:
            return _from_context(use, context, place)
        reference = _reference(use.name, written, place)
        service = self._service_of(reference, written)
        if service:
            return ParentUse(use.name, service, use.platform, place)
        return ImageUse(reference, use.platform, place, use.name)

    def _service_of(self, reference: Reference, written: str) -> str:
        """The service that builds an image; a digest is a pin, and a tag that the fleet does not build is external."""
        candidates = self._by_repository.get(reference.name, ())
        if reference.digest or not candidates:
            return ""
        tag = reference.tag or "latest"
        exact = [service.name for service in candidates if tag in service.tags]
        if exact:
            return exact[0]
        follows = tag == "latest" or "$" in written.rpartition("/")[2].partition(":")[2]
        return candidates[0].name if follows and len(candidates) == 1 else ""


def _external_uses(resolved: Resolved) -> Iterator[tuple[Use, str]]:
    """Uses of images and contexts, each with the text as it is written."""
    external = set(resolved.external_uses)
    for stage in resolved.stages:
        for use in stage.uses:
            if use in external:
                yield use, stage.stage.base_word.text if use.kind is UseKind.FROM else use.name


def _from_context(use: Use, context: str, place: Place) -> ParentUse | ImageUse | None:
    for prefix in _OF_THE_FLEET:
        if context.startswith(prefix):
            return ParentUse(use.name, context.removeprefix(prefix), use.platform, place)
    if context.startswith(_IMAGE):
        text = context.removeprefix(_IMAGE)
        return ImageUse(_reference(text, text, place), use.platform, place, text)
    return None


def _reference(name: str, written: str, place: Place) -> Reference:
    if not name:
        message, hint = (
            f"{written} has no value",
            "give it a default with ARG before the first FROM, or set it in args:",
        )
        raise DockerfileError(message, path=place.path, line=place.line, hint=hint)
    try:
        return Reference.parse(name)
    except UsageError as error:
        raise DockerfileError(error.message, path=place.path, line=place.line, hint=error.hint) from error


def _of_images(images: Iterable[ImageUse]) -> Iterator[Trait]:
    for image in images:
        yield from image_traits(image.text, image.place)


def _of_commands(resolved: Resolved, path: str) -> Iterator[Trait]:
    for stage in resolved.stages:
        for instruction in stage.executed:
            if instruction.keyword in {"RUN", "ENV", "ARG"}:
                bodies = (instruction.body.text, *(heredoc.body.text for heredoc in instruction.heredocs))
                yield from command_traits("\n".join(bodies), Place(path, instruction.line, 1))


def _executions(resolved: Resolved, path: str) -> Iterator[Execution]:
    seen: set[Platform] = set()
    for stage in resolved.stages:
        if stage.runs and stage.platform not in seen:
            seen.add(stage.platform)
            yield Execution(stage.platform, Place(path, _first_run(stage), 1))


def _first_run(stage: ResolvedStage) -> int:
    return next(instruction.line for instruction in stage.executed if instruction.keyword == "RUN")
