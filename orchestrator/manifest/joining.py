"""Several manifest files become one: maps are joined key by key, and a key that two files give is a mistake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from orchestrator.core.finding import Finding
from orchestrator.manifest.mistake import also, mistake
from orchestrator.manifest.model import DefaultsModel, Model, NodeModel, PublishModel, RegistryModel, ServiceModel
from orchestrator.manifest.source import Source

Part = TypeVar("Part", bound=Model)
_SECTIONS = ("services", "defaults", "runners", "publish", "registries")


@dataclass(frozen=True, slots=True)
class Joined:
    """The parts of all files, each with the file that it comes from. `owners` tells who gave each key of `defaults`."""

    sources: tuple[Source, ...]
    defaults: DefaultsModel
    owners: Mapping[str, Source]
    services: tuple[tuple[Source, str, ServiceModel], ...]
    nodes: tuple[tuple[Source, int, NodeModel], ...]
    registries: tuple[tuple[Source, str, RegistryModel], ...]
    runners: tuple[tuple[str, tuple[str, ...]], ...]
    publish: PublishModel
    findings: tuple[Finding, ...] = field(default=())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all services, also of those that are described wrongly."""
        return tuple(name for source in self.sources for name in source.names("services"))

    @property
    def registry(self) -> tuple[Source, str] | None:
        """The prefix of images and the file that gives it."""
        return next(((source, source.model.registry) for source in self.sources if source.model.has("registry")), None)


def join(sources: tuple[Source, ...]) -> Joined:
    """The sections of all files together, and what they contradict each other in."""
    owners: dict[str, Source] = {}
    for source in reversed(sources):
        owners.update(dict.fromkeys(source.model.defaults.model_fields_set, source))
    services = {
        name: (source, name, model) for source in reversed(sources) for name, model in source.model.services.items()
    }
    order = dict.fromkeys(name for source in sources for name in source.model.services)
    registries = {host: (source, host, model) for source, host, model in _registries(sources)}
    return Joined(
        sources=sources,
        defaults=_overlaid(DefaultsModel(), [source.model.defaults for source in sources]),
        owners=owners,
        services=tuple(services[name] for name in order),
        nodes=tuple((source, index, node) for source in sources for index, node in enumerate(source.model.nodes)),
        registries=tuple(registries.values()),
        runners=tuple({name: labels for source in sources for name, labels in source.model.runners.items()}.items()),
        publish=_overlaid(PublishModel(), [source.model.publish for source in sources]),
        findings=(*_repeated(sources), *_two_prefixes(sources)),
    )


def _registries(sources: tuple[Source, ...]) -> Iterator[tuple[Source, str, RegistryModel]]:
    return ((source, host, model) for source in sources for host, model in source.model.registries.items())


def _overlaid(start: Part, parts: list[Part]) -> Part:
    found: dict[str, object] = {}
    for part in reversed(parts):
        found.update({name: getattr(part, name) for name in part.model_fields_set})
    return start.model_copy(update=found)


def _repeated(sources: tuple[Source, ...]) -> Iterator[Finding]:
    for section in _SECTIONS:
        first: dict[str, Source] = {}
        for source, name in _named(sources, section):
            owner = first.setdefault(name, source)
            if owner is not source:
                yield _twice(section, name, owner, source)


def _named(sources: tuple[Source, ...], section: str) -> Iterator[tuple[Source, str]]:
    for source in sources:
        for name in source.names(section):
            if section == "services" or not name.startswith("x-"):
                yield source, name


def _twice(section: str, name: str, first: Source, second: Source) -> Finding:
    rule, word = ("duplicate-service", "the service") if section == "services" else ("duplicate-key", f"{section}:")
    related = also(first.key_place(section, name), "given first here")
    return mistake(rule, second.key_place(section, name), f"{word} `{name}` is given twice", related=related)


def _two_prefixes(sources: tuple[Source, ...]) -> Iterator[Finding]:
    given = [source for source in sources if source.model.has("registry")]
    for source in given[1:]:
        if source.model.registry != given[0].model.registry:
            related = also(given[0].place("registry"), "another one is given here")
            message = "registry: a fleet has one prefix for its images, and two files name different ones"
            yield mistake("duplicate-key", source.place("registry"), message, related=related)


def settled(service: ServiceModel, defaults: DefaultsModel) -> ServiceModel:
    """A service with everything that `defaults` say and it does not; maps are joined, a key at a time."""
    update: dict[str, object] = {}
    for name in DefaultsModel.model_fields:
        given, default = getattr(service, name), getattr(defaults, name)
        if not service.has(name):
            update[name] = default
        elif isinstance(given, Model):
            update[name] = _overlaid(default, [given])
        elif isinstance(given, dict):
            update[name] = {**default, **given}
    return service.model_copy(update=update)
