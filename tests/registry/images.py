"""A small image for two platforms, made of bytes, and clients that do not wait between attempts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from orchestrator.core.fleet import RegistrySettings
from orchestrator.core.image import OCI_CONFIG, OCI_INDEX, OCI_MANIFEST, sha256
from orchestrator.core.reference import Reference
from orchestrator.core.retry import RetryPolicy
from orchestrator.registry.client import RegistryClient
from orchestrator.registry.clock import Clock
from orchestrator.registry.wire import LIMITS, Limits
from tests.faults.registry_server import RegistryServer

LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar"
NAME = "acme/api"


def pretty(value: object) -> bytes:
    return json.dumps(value, indent=3).encode()


@dataclass
class Pauses:
    """A clock whose pauses are written down and take no time."""

    seconds: list[float] = field(default_factory=list)
    passed: float = 1000.0

    def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)
        self.passed += seconds

    def clock(self) -> Clock:
        return Clock(monotonic=lambda: self.passed, now=lambda: 1_700_000_000.0, sleep=self.sleep)


@dataclass(frozen=True)
class Image:
    """An index and what it is made of, by digest."""

    index: bytes
    manifests: tuple[bytes, ...]
    configs: tuple[bytes, ...]
    layer: bytes

    @property
    def blobs(self) -> dict[str, bytes]:
        return {sha256(content): content for content in (*self.configs, self.layer)}

    @property
    def digest(self) -> str:
        return sha256(self.index)


def make_image(layer: bytes = b"layer" * 1000) -> Image:
    manifests, configs, entries = [], [], []
    for architecture in ("amd64", "arm64"):
        rootfs = {"type": "layers", "diff_ids": [sha256(layer)]}
        config = pretty({"os": "linux", "architecture": architecture, "rootfs": rootfs})
        fields = {"mediaType": OCI_CONFIG, "digest": sha256(config), "size": len(config)}
        layers = [{"mediaType": LAYER_TYPE, "digest": sha256(layer), "size": len(layer)}]
        manifest = pretty({"schemaVersion": 2, "mediaType": OCI_MANIFEST, "config": fields, "layers": layers})
        platform = {"os": "linux", "architecture": architecture}
        entry = {"mediaType": OCI_MANIFEST, "digest": sha256(manifest), "size": len(manifest), "platform": platform}
        manifests.append(manifest)
        configs.append(config)
        entries.append(entry)
    index = pretty({"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": entries})
    return Image(index, tuple(manifests), tuple(configs), layer)


def fill(server: RegistryServer, image: Image, tag: str = "1", name: str = NAME) -> None:
    server.blobs.update(image.blobs)
    for manifest in image.manifests:
        server.put(name, sha256(manifest), OCI_MANIFEST, manifest)
    server.put(name, tag, OCI_INDEX, image.index)


def make_client(
    *settings: RegistrySettings,
    environment: Mapping[str, str] | None = None,
    pauses: Pauses | None = None,
    limits: Limits = LIMITS,
    warnings: list[str] | None = None,
) -> RegistryClient:
    heard = warnings if warnings is not None else []
    return RegistryClient(
        settings,
        {"HOME": "/nonexistent"} if environment is None else environment,
        warn=heard.append,
        limits=limits,
        policy=RetryPolicy(attempts=4, first_pause=0.5, longest_pause=8, budget=300),
        clock=(pauses or Pauses()).clock(),
    )


def at(address: str, tag: str = "1", name: str = NAME) -> Reference:
    return Reference.parse(f"{address}/{name}:{tag}")
