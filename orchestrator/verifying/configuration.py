"""The image configuration: the platform that it claims, and what a runtime would start (image-spec, config.md)."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.core.image import OCI_CONFIG
from orchestrator.core.platform import Platform
from orchestrator.verifying.documents import JsonObject, mapping, mappings, parse_object, text, texts

DOCKER_CONFIG = "application/vnd.docker.container.image.v1+json"
CONFIG_TYPES = frozenset({OCI_CONFIG, DOCKER_CONFIG})


@dataclass(frozen=True, slots=True)
class History:
    """One step of an image's history, and whether it made a layer."""

    created_by: str
    makes_layer: bool


@dataclass(frozen=True, slots=True)
class ImageConfig:
    """An image configuration; `os`, `architecture` and `variant` as they are written, empty where they are not.

    `entrypoint` and `command` are argument lists; `healthcheck` is the test of HEALTHCHECK, its first word included.
    """

    os: str = ""
    architecture: str = ""
    variant: str = ""
    os_version: str = ""
    rootfs_type: str = ""
    diff_ids: tuple[str, ...] = ()
    history: tuple[History, ...] = ()
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    working_directory: str = ""
    user: str = ""
    ports: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    healthcheck: tuple[str, ...] = ()
    stop_signal: str = ""

    @property
    def platform(self) -> Platform:
        """The platform in normal form, in which arm without a variant is arm/v7."""
        return Platform(self.os, self.architecture, self.variant)

    @property
    def written_platform(self) -> str:
        """The platform as it is written."""
        parts = (self.os, self.architecture, *((self.variant,) if self.variant else ()))
        return "/".join(part or "(empty)" for part in parts)

    def layer_steps(self) -> tuple[str, ...]:
        """For each layer the instruction that made it; shorter than the layers where the history is."""
        return tuple(step.created_by for step in self.history if step.makes_layer)


def parse_configuration(content: bytes) -> ImageConfig:
    """Read a configuration; ContentError where the bytes are none. Fields of a wrong type count as not written."""
    root = parse_object(content)
    rootfs = mapping(root, "rootfs")
    runtime = mapping(root, "config")
    return ImageConfig(
        os=text(root, "os"),
        architecture=text(root, "architecture"),
        variant=text(root, "variant"),
        os_version=text(root, "os.version"),
        rootfs_type=text(rootfs, "type"),
        diff_ids=texts(rootfs, "diff_ids"),
        history=tuple(
            History(text(step, "created_by"), step.get("empty_layer") is not True) for step in mappings(root, "history")
        ),
        entrypoint=texts(runtime, "Entrypoint"),
        command=texts(runtime, "Cmd"),
        environment=tuple(_pair(entry) for entry in texts(runtime, "Env")),
        working_directory=text(runtime, "WorkingDir"),
        user=text(runtime, "User"),
        ports=tuple(sorted(mapping(runtime, "ExposedPorts"))),
        volumes=tuple(sorted(mapping(runtime, "Volumes"))),
        labels=_labels(runtime),
        healthcheck=texts(mapping(runtime, "Healthcheck"), "Test"),
        stop_signal=text(runtime, "StopSignal"),
    )


def _labels(runtime: JsonObject) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((key, str(value)) for key, value in mapping(runtime, "Labels").items()))


def _pair(entry: str) -> tuple[str, str]:
    key, _, value = entry.partition("=")
    return key, value
