"""The manifest format as pydantic models: every key, its type, a description and an example."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from orchestrator.core.fleet import CacheType, Level, Scope
from orchestrator.manifest.words import (
    Arguments,
    Duration,
    EmulationWords,
    OneOrSeveral,
    OrWord,
    Pairs,
    Platforms,
    Provenance,
    Rule,
    Runners,
    SecretId,
    Services,
    Tag,
    Tags,
    Text,
    Variable,
    Version,
    Words,
    one_word,
    refusal,
    refuse,
)


def key(description: str, example: object, **settings: Any) -> Any:  # noqa: ANN401
    """A key of the manifest that may be left out."""
    return Field(description=description, examples=[example], **settings)


class Model(BaseModel):
    """A map with known keys; `x-` keys are the user's own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _without_extensions(cls, value: object) -> object:
        if not isinstance(value, dict):
            return value
        return {word: inner for word, inner in value.items() if not word.startswith("x-")}

    def has(self, field: str) -> bool:
        """Whether the manifest says something about a key."""
        return field in self.model_fields_set


def _secret(value: object) -> object:
    """`id=npmrc,env=NPMRC`, as after `--secret` of buildx, as a map."""
    if isinstance(value, str):
        if "=" not in value:
            message = "write {id: npmrc, env: NPMRC}, or id=npmrc,env=NPMRC"
            raise refusal("bad-secret", message, hidden=message)
        value = dict(part.partition("=")[::2] for part in value.split(","))
        value.pop("type", None)
    if isinstance(value, dict):
        return {{"src": "file", "source": "file"}.get(word, word): inner for word, inner in value.items()}
    return value


class CacheModel(Model):
    """Where layers are kept between builds."""

    type: CacheType = key(
        "registry, gha (GitHub's cache), local (a folder) or none", "registry", default=CacheType.NONE
    )
    ref: str = key(
        "Repository or folder of the cache; without it one is made from the image's name",
        "ghcr.io/acme/cache",
        default="",
    )


class AttestModel(Model):
    """What BuildKit attests of a build."""

    provenance: Provenance = key("How much the provenance tells: min, max or false", "min", default="min")
    sbom: bool = key("Whether a list of what is inside is made", True, default=False)


class AuditModel(Model):
    """How the audit treats the Dockerfile."""

    ignore: tuple[Rule, ...] = key("Audit rules that do not count for this service", ["MA104"], default=())


class VerifyModel(Model):
    """What the image has to prove before its tags move."""

    level: Level = key(
        "meta (manifests and configurations), exist (everything is there), entrypoint or full (what is inside)",
        "entrypoint",
        default=Level.EXIST,
    )
    run: tuple[Words, ...] = key(
        "Commands that have to work in the image on every platform", [["api", "--version"]], default=()
    )
    ignore: tuple[str, ...] = key(
        "Files in the image whose architecture does not matter", ["usr/share/firmware/**"], default=()
    )


class SecretModel(Model):
    """A build secret: its id, and either a variable or a file that holds it."""

    id: SecretId = key("The id in `RUN --mount=type=secret,id=…`", "npmrc", default="")
    env: Variable = key("The environment variable that holds the secret", "NPMRC", default="")
    file: str = key("The file that holds the secret, relative to the manifest", "secrets/npmrc", default="")

    @model_validator(mode="after")
    def _one_source(self) -> SecretModel:
        if not self.id:
            raise refusal("bad-secret", "a secret needs an `id`", hidden="a secret needs an `id`")
        if bool(self.env) == bool(self.file):
            message = "a secret needs either `env` or `file`"
            raise refusal("bad-secret", message, hidden=message)
        return self


def _different_ids(secrets: tuple[SecretModel, ...]) -> tuple[SecretModel, ...]:
    ids = [secret.id for secret in secrets]
    again = [(index, name) for index, name in enumerate(ids) if name in ids[:index]]
    said, hidden = "the id `{}` is given twice", "this id is given twice"
    refuse([refusal("bad-secret", said.format(name), hidden=hidden, at=(index,)) for index, name in again])
    return secrets


Secret = Annotated[SecretModel, BeforeValidator(_secret), OrWord({"type": "string", "pattern": "="})]
Secrets = Annotated[tuple[Secret, ...], AfterValidator(_different_ids)]
Cache = Annotated[CacheModel, BeforeValidator(one_word("type")), OrWord({"enum": [*CacheType]})]


class Policies(Model):
    """The keys that a service has and that `defaults` may set for all services."""

    platforms: Platforms = key(
        "The platforms of the image", ["linux/amd64", "linux/arm64"], default=(), validate_default=False
    )
    tags: Tags = key("The tags that the image gets", ["${GIT_SHORT_SHA}", "latest"], default=())
    args: Arguments = key(
        "Build arguments, as a map or a list; a key without a value takes it from the environment",
        {"VERSION": "1.2.3"},
        default={},
    )
    labels: Pairs = key(
        "Labels of the image", {"org.opencontainers.image.source": "https://example.com/acme"}, default={}
    )
    annotations: Pairs = key(
        "Annotations of its manifests; `index:KEY` for the list", {"index:com.example.team": "inference"}, default={}
    )
    secrets: Secrets = key("Secrets for the build", [{"id": "npmrc", "env": "NPMRC"}], default=())
    ssh: OneOrSeveral = key("SSH agents or keys for the build", ["default"], default=())
    emulation: EmulationWords = key(
        "Whether emulated builds are allowed: allow, warn or forbid; or a map by platform, with `default` for the rest",
        {"default": "forbid", "linux/arm/v7": "allow"},
        default={},
    )
    timeout: Duration = key("How long one platform may build", "40m", default=0.0)
    max_age: Duration = key(
        "How old an unchanged image may become before it is built again", "7d", default=0.0, alias="max-age"
    )
    cache: Cache = key("Where layers are kept between builds", {"type": "registry"}, default=CacheModel())
    attest: AttestModel = key("What BuildKit attests", {"provenance": "min", "sbom": False}, default=AttestModel())
    audit: AuditModel = key("How the audit treats the Dockerfile", {"ignore": ["MA104"]}, default=AuditModel())
    verify: VerifyModel = key(
        "What the image has to prove before its tags move", {"level": "entrypoint"}, default=VerifyModel()
    )


class DefaultsModel(Policies):
    """What holds for every service that does not say otherwise; maps are joined key by key."""


class ServiceModel(Policies):
    """One image to build."""

    image: OneOrSeveral = key(
        "One or several repositories, without tag; one without a registry host gets the prefix `registry`",
        ["api", "docker.io/acme/api"],
        default=(),
    )
    context: str = key("The folder that the build sees, relative to the manifest", "../dockerfiles/api", default=".")
    dockerfile: str = key("The Dockerfile, relative to the context", "Dockerfile", default="Dockerfile")
    target: Text = key("The stage to build; without it the last one", "runtime", default="")
    contexts: Pairs = key(
        "Named contexts: service:NAME, a folder, docker-image://, oci-layout://, or an https or git address",
        {"base": "service:base"},
        default={},
    )
    depends_on: tuple[str, ...] = key(
        "Services that have to be built first, beyond those that the Dockerfile names", ["base"], default=()
    )


class TlsModel(Model):
    """Files of a mutual TLS login, relative to the manifest."""

    ca: str = key("The authority that signed the node's certificate", "ca.pem", default="")
    cert: str = key("The client certificate", "cert.pem", default="")
    key: str = Field(default="", description="The key of the client certificate", examples=["key.pem"])


class NodeModel(Model):
    """A BuildKit instance that buildx reaches."""

    name: str = key("The name of the node", "arm", default="")
    driver: str = key("docker, docker-container, remote, kubernetes or cloud", "remote", default="")
    endpoint: str = key("Where the node is", "tcp://10.0.0.7:1234", default="")
    platforms: Platforms = key("The platforms that the node is used for", ["linux/arm64"], default=())
    tls: TlsModel = key("The login to a remote node", {"ca": "ca.pem"}, default=TlsModel())
    driver_opts: Pairs = key(
        "Options of the driver, as buildx takes them", {"namespace": "build"}, default={}, alias="driver-opts"
    )
    parallel: int = key("How many cells are built at once", 2, default=0, ge=1, le=1024)


class PublishModel(Model):
    """How tags move."""

    scope: Scope = key("all: the fleet's tags move together; service: each service's", "all", default=Scope.ALL)
    rollback: bool = key("Whether tags are put back when a later one cannot be moved", True, default=True)
    monotonic: tuple[Tag, ...] = key("Tags that never move to an older commit", ["latest"], default=())


class RegistryModel(Model):
    """How one registry is reached."""

    http: bool = key("Whether it speaks HTTP without TLS", True, default=False)
    insecure: bool = key("Whether its certificate is taken unchecked", False, default=False)
    ca: str = key("The authority that signed its certificate, relative to the manifest", "ca.pem", default="")
    mirrors: tuple[str, ...] = key("Hosts that are asked first", ["mirror.example.com"], default=())
    profile: str = key("What the registry can do, where its name does not say it", "gitlab", default="")


class ManifestModel(Model):
    """A manifest of mabuild: images to build for several platforms."""

    version: Version = key("The version of this format", 1, default=0)
    registry: str = key("The prefix of every image that has no registry of its own", "ghcr.io/acme", default="")
    defaults: DefaultsModel = key(
        "What holds for every service", {"platforms": ["linux/amd64", "linux/arm64"]}, default=DefaultsModel()
    )
    services: Services[ServiceModel] = key("The images to build", {"api": {"image": "api"}}, default={})
    nodes: tuple[NodeModel, ...] = key(
        "The nodes to build on; without them those of the selected buildx builder",
        [{"name": "arm", "driver": "docker-container", "endpoint": "ssh://me@arm"}],
        default=(),
    )
    runners: Runners = key(
        "GitHub Actions runners by platform; the longest prefix wins",
        {"default": "ubuntu-24.04", "linux/arm64": "ubuntu-24.04-arm"},
        default={},
    )
    publish: PublishModel = key("How tags move", {"scope": "all"}, default=PublishModel())
    registries: dict[str, RegistryModel] = key(
        "How registries are reached", {"localhost:5000": {"http": True}}, default={}
    )
