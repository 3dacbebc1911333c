"""What the docker engine says of itself: the registry mirrors and plain-HTTP hosts that it is set up with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from orchestrator.buildx.builderfile import engine_address
from orchestrator.buildx.reach import why_unreachable
from orchestrator.core.errors import UnreachableError
from orchestrator.core.fleet import RegistrySettings

_SECONDS = 5


def engine_registries(environment: Mapping[str, str]) -> tuple[RegistrySettings, ...]:
    """How the engine reaches registries; nothing where no engine answers within a few seconds.

    A base image is then looked up where the engine would pull it from, so that plan and build agree.
    """
    try:
        return settings_of(engine_information(environment))
    except UnreachableError:
        return ()


def engine_information(environment: Mapping[str, str]) -> dict[str, Any]:
    """The engine's answer to `GET /info`; UnreachableError where none answers within a few seconds."""
    from docker import from_env
    from docker.errors import DockerException

    address = engine_address(environment)
    reason = why_unreachable(address)
    if reason:
        raise UnreachableError(f"the engine does not answer: {reason}")
    try:
        asked = {**environment, "DOCKER_HOST": address}
        client = from_env(timeout=_SECONDS, environment=asked, use_ssh_client=address.startswith("ssh://"))
        try:
            return dict(client.info())
        finally:
            client.close()
    except (DockerException, OSError, ValueError) as error:
        raise UnreachableError(f"the engine at {address} does not answer: {_reason(error)}") from error


def _reason(error: BaseException) -> str:
    """The innermost reason: requests wraps the system's words several times."""
    while error.__cause__ is not None or error.__context__ is not None:
        error = error.__cause__ or error.__context__ or error
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__)[:200]


def settings_of(information: Mapping[str, Any]) -> tuple[RegistrySettings, ...]:
    """The settings in the answer of the engine's `GET /info` (Docker Engine API, `RegistryConfig`)."""
    configuration = information.get("RegistryConfig") or {}
    indexes = configuration.get("IndexConfigs") or {}
    mirrors = [urlsplit(str(address)) for address in configuration.get("Mirrors") or ()]
    plain = {name for name, index in indexes.items() if not index.get("Secure", True)}
    plain |= {mirror.netloc for mirror in mirrors if mirror.scheme == "http"}
    found = [RegistrySettings(host, http=True) for host in sorted(plain)]
    if mirrors:
        found.append(RegistrySettings("docker.io", mirrors=tuple(mirror.netloc for mirror in mirrors)))
    return tuple(found)


def joined(
    manifest: tuple[RegistrySettings, ...], engine: tuple[RegistrySettings, ...]
) -> tuple[RegistrySettings, ...]:
    """Both, and the manifest's word where both speak of one host."""
    hosts = {settings.host for settings in manifest}
    return (*manifest, *(settings for settings in engine if settings.host not in hosts))
