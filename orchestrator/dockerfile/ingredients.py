"""What a service is built from for one platform, besides its parents: the part of its key that needs no build."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from orchestrator.core.errors import UsageError
from orchestrator.core.fleet import Pairs, Service
from orchestrator.core.image import sha256
from orchestrator.core.key import Ingredients, ingredients_of
from orchestrator.core.once import Once
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.core.reference import Reference
from orchestrator.dockerfile.context import Contexts
from orchestrator.dockerfile.graph import context_name
from orchestrator.dockerfile.ignore import read_ignore_file
from orchestrator.dockerfile.lexer import ExpansionError, expand
from orchestrator.dockerfile.parse import Dockerfile, read
from orchestrator.dockerfile.remote import is_pinned, is_remote, open_sources
from orchestrator.dockerfile.resolve import Resolved, ResolvedStage, resolve

_VOLATILE = frozenset({"org.opencontainers.image.created", "org.opencontainers.image.revision"})
"""Labels and annotations that differ with every commit, and say nothing of the content."""
_OF_THE_FLEET = ("service:", "target:")
_IMAGE = "docker-image://"
Uses = frozenset[tuple[str, Platform]]


class Digests(Protocol):
    """What registries say of external images; the empty text where a digest is not known."""

    def of_platform(self, reference: Reference, platform: Platform) -> str:
        """The digest of the manifest that an image has for a platform."""
        ...

    def of_list(self, reference: Reference) -> str:
        """The digest of the image itself, which may be a list of all platforms."""
        ...


@dataclass(slots=True)
class IngredientReader:
    """Reads Dockerfiles and contexts once each. Safe for threads."""

    digests: Digests
    contexts: Contexts = field(default_factory=Contexts)
    _files: Once[Path, Dockerfile] = field(default_factory=Once)

    def read(
        self, service: Service, platform: Platform, build_platform: Platform, parents: frozenset[str]
    ) -> Ingredients:
        """The ingredients of a service for a platform, on a machine of another one.

        `parents` are the names in its Dockerfile that stand for other services. DockerfileError, UsageError.
        """
        dockerfile = self._files.of(service.dockerfile, lambda: read(service.dockerfile, str(service.dockerfile)))
        own = {name: value for name, value in service.contexts if not value.startswith(_OF_THE_FLEET)}
        names = frozenset(map(context_name, (*own, *parents)))

        def resolved(builder: Platform) -> Resolved:
            return resolve(
                dockerfile,
                target=service.target,
                args=dict(service.args),
                platform=platform,
                build_platform=builder,
                contexts=tuple(names),
            )

        here = resolved(build_platform)
        uses = (_uses(here, names), _uses(resolved(platform), names), _uses(resolved(_another(platform)), names))
        images = {**self._images(*uses), **self._frontend(dockerfile)}
        named, unpinned = self._named_contexts(own, platform)
        fields = {
            **_settings(service),
            "platform": str(platform),
            "dockerfile": sha256(dockerfile.text.encode("utf-8", "surrogateescape")),
            "context": self.contexts.digest(service.context, service.dockerfile),
            "contexts": named,
            "images": images,
        }
        unknown = [f"image {name}, whose digest is not known" for name, digest in images.items() if not digest]
        return ingredients_of(fields, (*unknown, *unpinned, *_open_adds(here, dockerfile.escape)))

    def _images(self, here: Uses, one: Uses, other: Uses) -> dict[str, str]:
        """The digest of every external image.

        An image that is taken for the machine that builds, whichever that is, counts as the list that it is: the key
        of a cell has to be the same on every machine. `one` and `other` are the uses on machines of two platforms.
        """
        if {name for name, _ in one} != {name for name, _ in other}:
            return {f"{name} for {platform}": self._digest_for(name, platform) for name, platform in here}
        builders = {f"{name} for the builder": self._digest(name, self.digests.of_list) for name, _ in one ^ other}
        return builders | {f"{name} for {platform}": self._digest_for(name, platform) for name, platform in one & other}

    def _frontend(self, dockerfile: Dockerfile) -> dict[str, str]:
        """The image that reads the Dockerfile (`# syntax=`), if one is named."""
        syntax = dockerfile.directive("syntax").split()
        return {f"{syntax[0]} as frontend": self._digest(syntax[0], self.digests.of_list)} if syntax else {}

    def _digest_for(self, name: str, platform: Platform) -> str:
        return self._digest(name, lambda reference: self.digests.of_platform(reference, platform))

    def _digest(self, name: str, digest_of: Callable[[Reference], str]) -> str:
        try:
            return digest_of(Reference.parse(name))
        except UsageError:
            return ""

    def _named_contexts(self, contexts: dict[str, str], platform: Platform) -> tuple[dict[str, str], list[str]]:
        found, unpinned = {}, []
        for name, value in contexts.items():
            if value.startswith(_IMAGE):
                digest = self._digest_for(value.removeprefix(_IMAGE), platform)
                found[name] = digest
                unpinned += [] if digest else [f"context {name}, whose digest is not known"]
            elif is_remote(value) or "://" in value:
                found[name] = value
                unpinned += [] if is_pinned(value) or "@sha256:" in value else [f"context {name} from {value}"]
            else:
                folder = Path(value)
                found[name] = self.contexts.of(folder, read_ignore_file(folder / ".dockerignore"))
        return found, unpinned


def _uses(resolved: Resolved, contexts: frozenset[str]) -> Uses:
    """External images with the platforms for which they are taken; not those that a build context stands in for."""
    return frozenset(
        (use.name, use.platform)
        for use in resolved.external_uses
        if use.name and context_name(use.name) not in contexts
    )


def _another(platform: Platform) -> Platform:
    return LINUX_ARM64 if platform == LINUX_AMD64 else LINUX_AMD64


def _settings(service: Service) -> dict[str, object]:
    """What the manifest says of the build; of secrets and agents only the names."""
    return {
        "target": service.target,
        "args": dict(service.args),
        "labels": _lasting(service.labels),
        "annotations": _lasting(service.annotations),
        "secrets": sorted(secret.id for secret in service.secrets),
        "ssh": sorted(agent.partition("=")[0] for agent in service.ssh),
        "attest": {"provenance": service.attest.provenance, "sbom": service.attest.sbom},
    }


def _lasting(pairs: Pairs) -> dict[str, str]:
    return {name: value for name, value in pairs if name not in _VOLATILE}


def _open_adds(resolved: Resolved, escape: str) -> Iterator[str]:
    for stage in resolved.stages:
        for position, instruction in enumerate(stage.executed):
            if instruction.keyword != "ADD":
                continue
            sources = [_expanded(word.text, stage, position, escape) for word in instruction.words[:-1]]
            for source in open_sources(instruction, sources):
                yield f"ADD {source} without a checksum"


def _expanded(text: str, stage: ResolvedStage, position: int, escape: str) -> str:
    try:
        return expand(text, lambda name: stage.scope.lookup(name, before=position).value, escape).text
    except ExpansionError:
        return text
