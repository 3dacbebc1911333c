"""What a service is built from for one platform, besides its parents: the part of its key that needs no build."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.core.errors import UsageError
from orchestrator.core.fleet import Pairs, Service
from orchestrator.core.image import sha256
from orchestrator.core.key import Ingredients, ingredients_of
from orchestrator.core.once import Once
from orchestrator.core.platform import Platform
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

DigestOf = Callable[[Reference, Platform], str]
"""The manifest digest that an external image has for a platform; empty where it is not known."""


@dataclass(slots=True)
class IngredientReader:
    """Reads Dockerfiles and contexts once each. Safe for threads."""

    digest_of: DigestOf
    contexts: Contexts = field(default_factory=Contexts)
    _files: Once[Path, Dockerfile] = field(default_factory=Once)

    def read(
        self, service: Service, platform: Platform, build_platform: Platform, parents: frozenset[str]
    ) -> Ingredients:
        """The ingredients of a service for a platform, on a machine of another one.

        `parents` are the names in its Dockerfile that stand for other services. DockerfileError, UsageError.
        """
        dockerfile = self._dockerfile(service.dockerfile)
        own = {name: value for name, value in service.contexts if not value.startswith(_OF_THE_FLEET)}
        resolved = resolve(
            dockerfile,
            target=service.target,
            args=dict(service.args),
            platform=platform,
            build_platform=build_platform,
            contexts=tuple({*map(context_name, own), *map(context_name, parents)}),
        )
        images, unknown = self._images(dockerfile, resolved, build_platform, {*own, *parents})
        named, unpinned = self._named_contexts(own, platform)
        fields = {
            **_settings(service),
            "platform": str(platform),
            "dockerfile": sha256(dockerfile.text.encode("utf-8", "surrogateescape")),
            "context": self.contexts.digest(service.context, service.dockerfile),
            "contexts": named,
            "images": images,
        }
        return ingredients_of(fields, (*unknown, *unpinned, *_open_adds(resolved, dockerfile.escape)))

    def _dockerfile(self, path: Path) -> Dockerfile:
        return self._files.of(path, lambda: read(path, str(path)))

    def _images(
        self, dockerfile: Dockerfile, resolved: Resolved, build_platform: Platform, contexts: set[str]
    ) -> tuple[dict[str, str], list[str]]:
        """The digest of every external image, and the names of those whose digest is not known."""
        known = {context_name(name) for name in contexts}
        uses = {
            (use.name, use.platform)
            for use in resolved.external_uses
            if use.name and context_name(use.name) not in known
        }
        syntax = dockerfile.directive("syntax").split()
        if syntax:
            uses.add((syntax[0], build_platform))
        found = {f"{name} for {platform}": self._digest(name, platform) for name, platform in uses}
        return found, [f"image {name}, whose digest is not known" for name, digest in found.items() if not digest]

    def _digest(self, name: str, platform: Platform) -> str:
        try:
            return self.digest_of(Reference.parse(name), platform)
        except UsageError:
            return ""

    def _named_contexts(self, contexts: dict[str, str], platform: Platform) -> tuple[dict[str, str], list[str]]:
        found, unpinned = {}, []
        for name, value in contexts.items():
            if value.startswith(_IMAGE):
                digest = self._digest(value.removeprefix(_IMAGE), platform)
                found[name] = digest
                unpinned += [] if digest else [f"context {name}, whose digest is not known"]
            elif is_remote(value) or "://" in value:
                found[name] = value
                unpinned += [] if is_pinned(value) or "@sha256:" in value else [f"context {name} from {value}"]
            else:
                folder = Path(value)
                found[name] = self.contexts.of(folder, read_ignore_file(folder / ".dockerignore"))
        return found, unpinned


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
