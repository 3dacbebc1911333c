"""Joined manifests become a fleet, and what only shows when they are seen together is found."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from orchestrator.core.finding import Finding
from orchestrator.core.fleet import (
    Attest,
    Cache,
    CacheType,
    Emulation,
    EmulationPolicy,
    Pairs,
    Secret,
    Service,
    VerifyPolicy,
)
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.manifest.images import Images
from orchestrator.manifest.joining import Joined, settled
from orchestrator.manifest.local import is_file, is_folder, is_remote, local_path, missing_dockerfile, missing_folder
from orchestrator.manifest.mistake import suggestion
from orchestrator.manifest.model import ServiceModel
from orchestrator.manifest.source import Source

_DEFAULT_PLATFORMS = (LINUX_AMD64, LINUX_ARM64)
_DEFAULT_TAGS = ("latest",)
_SERVICE_CONTEXT = "service:"
_LAYOUT_CONTEXT = "oci-layout://"


class Assembly:
    """Builds the services of a fleet; `findings` are the mistakes that were met. `whole`: no file was unreadable."""

    def __init__(self, joined: Joined, environment: Mapping[str, str], *, whole: bool) -> None:
        self.findings: list[Finding] = []
        self._joined = joined
        self._environment = environment
        self._names = frozenset(joined.names)
        self._whole = whole
        self._images = Images(joined, self.findings)

    def services(self) -> tuple[Service, ...]:
        """All services, in the order in which they are written."""
        return tuple(self._service(*given) for given in self._joined.services)

    def _service(self, source: Source, name: str, given: ServiceModel) -> Service:
        model = settled(given, self._joined.defaults)
        context, dockerfile = self._folders(source, name, model)
        self._check_needs(source, name, model)
        return Service(
            name=name,
            place=source.key_place("services", name),
            images=self._images.of(source, name, model),
            tags=model.tags or _DEFAULT_TAGS,
            platforms=model.platforms or _DEFAULT_PLATFORMS,
            context=context,
            dockerfile=dockerfile,
            target=model.target,
            args=self._arguments(source, given),
            labels=_texts(model.labels),
            annotations=_texts(model.annotations),
            contexts=self._contexts(source, name, model),
            depends_on=tuple(dict.fromkeys(model.depends_on)),
            secrets=self._secrets(model, self._owner(source, given, "secrets")),
            ssh=self._ssh(model, self._owner(source, given, "ssh")),
            emulation=_emulation(model.emulation),
            timeout=model.timeout,
            cache=self._cache(source, name, model, self._owner(source, given, "cache")),
            attest=Attest(model.attest.provenance, model.attest.sbom),
            audit_ignore=model.audit.ignore,
            verify=VerifyPolicy(model.verify.level, model.verify.run, model.verify.ignore),
            max_age=model.max_age,
        )

    def _tell(self, rule: str, source: Source, path: tuple[str | int, ...], message: str) -> None:
        self.findings.append(source.mistake(rule, path, message))

    def _owner(self, source: Source, given: ServiceModel, field: str) -> Source:
        """The file whose folder the paths under a key are relative to."""
        return source if given.has(field) else self._joined.owners.get(field, source)

    def _path(self, text: str, source: Source) -> Path:
        return local_path(text, source.directory, self._environment)

    def _folders(self, source: Source, name: str, model: ServiceModel) -> tuple[Path, Path]:
        context = self._path(model.context, source)
        dockerfile = local_path(model.dockerfile, context, self._environment)
        broken = {("services", name, key) for key in ("context", "dockerfile")} & source.broken
        if broken:
            return context, dockerfile
        written = source.written("services", name, "context") or model.context
        if is_remote(model.context):
            message = f"{written} is no folder; mabuild builds from local folders only"
            self._tell("remote-context", source, ("services", name, "context"), message)
        elif not is_folder(context):
            message = missing_folder(written, context)
            self._tell("missing-context", source, ("services", name, "context"), message)
        elif not is_file(dockerfile):
            shown = source.written("services", name, "dockerfile") or model.dockerfile
            key = "dockerfile" if model.has("dockerfile") else "context"
            message = missing_dockerfile(shown, dockerfile, context)
            self._tell("missing-dockerfile", source, ("services", name, key), message)
        return context, dockerfile

    def _check_needs(self, source: Source, name: str, model: ServiceModel) -> None:
        for index, need in enumerate(model.depends_on):
            self._check_name(source, ("services", name, "depends_on", index), need)

    def _check_name(self, source: Source, path: tuple[str | int, ...], name: str) -> None:
        if self._whole and name not in self._names:
            shown = "this" if source.is_filled_in(*path) else f"`{name}`"
            near = "" if source.is_filled_in(*path) else suggestion(name, self._names)
            self._tell("unknown-service", source, path, f"{shown} is no service of the fleet{near}")

    def _contexts(self, source: Source, name: str, model: ServiceModel) -> Pairs:
        found = ((key, self._context(source, (name, key), value or "")) for key, value in model.contexts.items())
        return tuple((key, value) for key, value in found if value)

    def _context(self, source: Source, at: tuple[str, str], value: str) -> str:
        name, key = at
        path = ("services", name, "contexts", key)
        if value.startswith(_SERVICE_CONTEXT):
            self._check_name(source, path, value.removeprefix(_SERVICE_CONTEXT))
            return value
        if not value or value.startswith("target:"):
            advice = "write service:NAME, a folder, docker-image://…, oci-layout://…, or an address"
            self._tell("wrong-value", source, path, f"the context `{key}` leads nowhere; {advice}")
            return ""
        if value.startswith(_LAYOUT_CONTEXT):
            return _LAYOUT_CONTEXT + str(self._path(value.removeprefix(_LAYOUT_CONTEXT), source))
        if "://" in value or is_remote(value):
            return value
        folder = self._path(value, source)
        if not is_folder(folder):
            written = source.written(*path) or value
            self._tell("missing-context", source, path, missing_folder(written, folder))
        return str(folder)

    def _arguments(self, source: Source, given: ServiceModel) -> Pairs:
        owner = self._joined.owners.get("args", source)
        found = _filled(self._joined.defaults.args, owner)
        found.update(_filled(given.args, source))
        return tuple((key, value) for key, value in found.items() if value is not None)

    def _secrets(self, model: ServiceModel, owner: Source) -> tuple[Secret, ...]:
        return tuple(
            Secret(secret.id, secret.env, str(self._path(secret.file, owner)) if secret.file else "")
            for secret in model.secrets
        )

    def _ssh(self, model: ServiceModel, owner: Source) -> tuple[str, ...]:
        found = []
        for text in model.ssh:
            agent, equals, paths = text.partition("=")
            keys = ",".join(str(self._path(path, owner)) for path in paths.split(",")) if equals else ""
            found.append(f"{agent}{equals}{keys}")
        return tuple(found)

    def _cache(self, source: Source, name: str, model: ServiceModel, owner: Source) -> Cache:
        cache = model.cache
        if not cache.ref:
            return Cache(cache.type)
        if cache.type is CacheType.LOCAL:
            return Cache(cache.type, str(self._path(cache.ref, owner)))
        if cache.type is CacheType.REGISTRY:
            return Cache(cache.type, self._images.cache(source, name, cache.ref))
        self._tell("wrong-value", source, ("services", name, "cache"), f"a cache of type {cache.type} takes no `ref`")
        return Cache(cache.type)


def _filled(arguments: dict[str, str | None], source: Source) -> dict[str, str | None]:
    return {key: source.variables.get(key) if value is None else value for key, value in arguments.items()}


def _texts(pairs: dict[str, str | None]) -> Pairs:
    return tuple((key, value or "") for key, value in pairs.items())


def _emulation(words: dict[str, Emulation]) -> EmulationPolicy:
    exceptions = tuple((Platform.parse(name), policy) for name, policy in words.items() if name != "default")
    return EmulationPolicy(words.get("default", Emulation.WARN), exceptions)
