"""The repositories that services are pushed to: the prefix `registry`, their grammar, and that no two are the same."""

from __future__ import annotations

from orchestrator.core.errors import UsageError
from orchestrator.core.finding import Finding
from orchestrator.core.reference import Reference
from orchestrator.manifest.joining import Joined
from orchestrator.manifest.mistake import also, mistake
from orchestrator.manifest.model import ServiceModel
from orchestrator.manifest.source import Source

_HIDDEN = "this is no image name once its variables are filled in"


class Images:
    """Reads image names of a fleet; mistakes go to the list that it is given."""

    def __init__(self, joined: Joined, findings: list[Finding]) -> None:
        self._joined = joined
        self._findings = findings
        self._repositories: dict[str, tuple[Source, str, int]] = {}
        self._prefix_is_secret = bool(joined.registry and joined.registry[0].is_filled_in("registry"))
        self._prefix = self._checked_prefix()

    def of(self, source: Source, name: str, model: ServiceModel) -> tuple[Reference, ...]:
        """The repositories of a service."""
        if not model.image and ("services", name, "image") not in source.broken:
            message = f"services.{name}: `image` is missing: the repository that the image is pushed to"
            self._findings.append(mistake("missing-key", source.key_place("services", name), message))
        found = []
        for index, text in enumerate(model.image):
            reference = self._parsed(source, ("services", name, "image", index), text)
            if reference is not None:
                self._check_repository(source, (name, index), reference)
                found.append(reference)
        return tuple(found)

    def cache(self, source: Source, name: str, text: str) -> str:
        """The repository of a cache with its prefix."""
        reference = self._parsed(source, ("services", name, "cache", "ref"), text)
        return str(reference) if reference else text

    def _checked_prefix(self) -> str | None:
        """The prefix of images; None where it is wrong, so that not every image is reported as well."""
        if self._joined.registry is None:
            return None if any(("registry",) in source.broken for source in self._joined.sources) else ""
        source, registry = self._joined.registry
        prefix = registry.rstrip("/")
        try:
            Reference.parse(f"{prefix}/name")
        except UsageError:
            advice = "; leave the scheme out" if "://" in prefix else ", as ghcr.io/acme or localhost:5000 can"
            message = f"this cannot begin an image name{advice}"
            self._findings.append(source.mistake("bad-image", ("registry",), message))
            return None
        return prefix

    def _parsed(self, source: Source, path: tuple[str, str, str, str | int], text: str) -> Reference | None:
        full = self._with_prefix(text)
        if full is None:
            return None
        try:
            reference = Reference.parse(full)
        except UsageError as error:
            hidden = source.is_filled_in(*path) or self._prefix_is_secret
            self._findings.append(source.mistake("bad-image", path, _HIDDEN if hidden else error.message))
            return None
        if path[2] == "image" and (reference.tag or reference.digest):
            message = "an image is named without tag or digest; tags stand under `tags`"
            self._findings.append(source.mistake("bad-image", path, message))
            return None
        return reference

    def _with_prefix(self, text: str) -> str | None:
        first, slash, _ = text.partition("/")
        if slash and (set(".:") & set(first) or first == "localhost"):
            return text
        if self._prefix is None:
            return None
        return f"{self._prefix}/{text}" if self._prefix else text

    def _check_repository(self, source: Source, at: tuple[str, int], reference: Reference) -> None:
        name, index = at
        other, other_name, other_index = self._repositories.setdefault(reference.name, (source, name, index))
        if (other_name, other_index) == at:
            return
        path = ("services", name, "image", index)
        whose = "twice" if other_name == name else f"by the service `{other_name}` as well; each would move its tags"
        related = also(other.place("services", other_name, "image", other_index), "named first here")
        message = f"the repository {source.written(*path)} is named {whose}"
        self._findings.append(source.mistake("duplicate-image", path, message, related=related))
