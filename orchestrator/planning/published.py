"""What a registry has under a reference: one digest, and the manifest of every platform."""

from __future__ import annotations

import json
from dataclasses import dataclass

from orchestrator.core.errors import MabuildError
from orchestrator.core.image import INDEX_TYPES, Document
from orchestrator.core.plan import BasePlatform
from orchestrator.core.platform import Platform, candidates
from orchestrator.core.reference import Reference
from orchestrator.registry.store import Store

_LONGEST_CONFIG = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Published:
    """An image as a registry has it; `is_list` tells an index from a single manifest."""

    digest: str
    platforms: tuple[BasePlatform, ...]
    is_list: bool

    def taken_for(self, platform: Platform) -> BasePlatform | None:
        """The manifest that a build for a platform takes, by containerd's order; None where none fits.

        A manifest of another architecture is none, although BuildKit would take linux/386 for linux/amd64.
        """
        for wanted in candidates(platform):
            for entry in self.platforms:
                if entry.platform == wanted and wanted.architecture == platform.architecture:
                    return entry
        return None


def published(store: Store, reference: Reference) -> Published:
    """Ask a store: one request for a list, two (manifest and configuration) for a single image."""
    document = store.manifest(reference.or_latest)
    content = _object(document.content, str(reference))
    if document.media_type in INDEX_TYPES or "manifests" in content:
        return Published(document.digest, _entries(content), is_list=True)
    platform = _config_platform(store, reference, content)
    return Published(document.digest, (BasePlatform(platform, document.digest),), is_list=False)


def _entries(content: dict[str, object]) -> tuple[BasePlatform, ...]:
    manifests = content.get("manifests")
    entries = [entry for entry in manifests if isinstance(entry, dict)] if isinstance(manifests, list) else []
    found = ((_platform(entry.get("platform")), str(entry.get("digest", ""))) for entry in entries)
    return tuple(BasePlatform(platform, digest) for platform, digest in found if platform is not None)


def _config_platform(store: Store, reference: Reference, content: dict[str, object]) -> Platform:
    config = content.get("config")
    digest = str(config.get("digest", "")) if isinstance(config, dict) else ""
    if not digest:
        raise MabuildError(f"{reference} is no image: its manifest names no configuration")
    with store.blob(reference, digest) as stream:
        found = Document.of("", stream.read(_LONGEST_CONFIG))
    if found.digest != digest:
        raise MabuildError(f"the configuration of {reference} is not what its manifest names ({digest})")
    platform = _platform(_object(found.content, str(reference)))
    if platform is None:
        raise MabuildError(f"the configuration of {reference} names no platform")
    return platform


def _platform(value: object) -> Platform | None:
    if not isinstance(value, dict):
        return None
    system, architecture = str(value.get("os") or ""), str(value.get("architecture") or "")
    if not architecture or "unknown" in (system, architecture):
        return None
    return Platform(system or "linux", architecture, str(value.get("variant") or ""))


def _object(content: bytes, name: str) -> dict[str, object]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise MabuildError(f"what the registry has for {name} is not JSON") from error
    if not isinstance(found, dict):
        raise MabuildError(f"what the registry has for {name} is no manifest")
    return found
