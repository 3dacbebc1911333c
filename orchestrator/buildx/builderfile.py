"""Builders as buildx keeps them in its own files, so that no node has to be asked to know that it exists."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.core.errors import UnreachableError
from orchestrator.core.fleet import Pairs
from orchestrator.core.platform import Platform

DEFAULT_CONTEXT = "default"
_DEFAULT_SOCKET = "unix:///var/run/docker.sock"
_LARGEST = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class BuilderNode:
    """One node of a builder: where it is, and the platforms that were declared for it when it was made."""

    name: str
    endpoint: str
    platforms: tuple[Platform, ...] = ()
    options: Pairs = ()


@dataclass(frozen=True, slots=True)
class Builder:
    """A builder and its nodes in their order, by which buildx chooses."""

    name: str
    driver: str
    nodes: tuple[BuilderNode, ...]


def config_folder(environment: Mapping[str, str]) -> Path:
    """Where buildx keeps its files."""
    chosen = environment.get("BUILDX_CONFIG")
    return Path(chosen) if chosen else docker_folder(environment) / "buildx"


def docker_folder(environment: Mapping[str, str]) -> Path:
    """Where docker keeps its settings."""
    chosen = environment.get("DOCKER_CONFIG")
    return Path(chosen) if chosen else Path(environment.get("HOME") or "~").expanduser() / ".docker"


def selected_builder(environment: Mapping[str, str], asked: str = "") -> Builder:
    """The builder of that name, or the one that buildx would use; UnreachableError where there is none."""
    name = asked or environment.get("BUILDX_BUILDER") or _current(environment)
    builder = read_builder(environment, name)
    if builder is not None:
        return builder
    contexts = (DEFAULT_CONTEXT, *docker_contexts(environment))
    if name in contexts:
        return Builder(name, "docker", (BuilderNode(name, name),))
    known = sorted({*builder_names(environment), *contexts})
    raise UnreachableError(f"there is no builder {name!r}", hint=f"there are: {', '.join(known)}")


def read_builder(environment: Mapping[str, str], name: str) -> Builder | None:
    """A builder by its name, or None where buildx has no file for it."""
    content = _json(config_folder(environment) / "instances" / name.lower())
    if not isinstance(content, dict):
        return None
    nodes = content.get("Nodes")
    found = tuple(_node(node) for node in nodes if isinstance(node, dict)) if isinstance(nodes, list) else ()
    return Builder(str(content.get("Name") or name), str(content.get("Driver") or ""), found)


def copy_node(environment: Mapping[str, str], builder: str, node: str, name: str) -> None:
    """Make a builder of one node of another one, with all that buildx keeps of it; does nothing where it is the same.

    A copy of the file and not `buildx create`: that would lose the node's own buildkitd configuration, and would ask
    the node. UnreachableError where the file cannot be written.
    """
    folder = config_folder(environment) / "instances"
    content = _json(folder / builder.lower())
    nodes = content.get("Nodes") if isinstance(content, dict) else None
    found = [entry for entry in nodes if isinstance(entry, dict) and entry.get("Name") == node] if nodes else []
    if not isinstance(content, dict) or not found:
        raise UnreachableError(f"builder {builder} has no node {node} any more")
    copied = {**content, "Name": name, "Nodes": found}
    if _json(folder / name.lower()) == copied:
        return
    try:
        with tempfile.NamedTemporaryFile("w", dir=folder, prefix=".tmp-", delete=False, encoding="utf-8") as stream:
            json.dump(copied, stream)
        Path(stream.name).replace(folder / name.lower())
    except OSError as error:
        raise UnreachableError(f"builder {name} cannot be written to {folder}: {error.strerror}") from error


def builder_names(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The builders that were made, without those that come with docker's contexts."""
    folder = config_folder(environment) / "instances"
    return tuple(sorted(path.name for path in folder.glob("*") if not path.name.startswith(".")))


def docker_contexts(environment: Mapping[str, str]) -> dict[str, str]:
    """The contexts that the user made, each of which is a builder with the docker driver, and their addresses."""
    found = {}
    for path in sorted((docker_folder(environment) / "contexts" / "meta").glob("*/meta.json")):
        content = _json(path)
        if isinstance(content, dict) and content.get("Name"):
            endpoints = content.get("Endpoints")
            endpoint = endpoints.get("docker") if isinstance(endpoints, dict) else None
            address = endpoint.get("Host") if isinstance(endpoint, dict) else ""
            found[str(content["Name"])] = str(address or "")
    return found


def current_context(environment: Mapping[str, str]) -> str:
    """The docker context that is in use."""
    if environment.get("DOCKER_CONTEXT"):
        return environment["DOCKER_CONTEXT"]
    if environment.get("DOCKER_HOST"):
        return DEFAULT_CONTEXT
    content = _json(docker_folder(environment) / "config.json")
    chosen = content.get("currentContext") if isinstance(content, dict) else ""
    return str(chosen or DEFAULT_CONTEXT)


def engine_address(environment: Mapping[str, str]) -> str:
    """The address of the engine that docker would ask."""
    context = current_context(environment)
    if context != DEFAULT_CONTEXT:
        return docker_contexts(environment).get(context, "")
    return environment.get("DOCKER_HOST") or _DEFAULT_SOCKET


def _current(environment: Mapping[str, str]) -> str:
    """The name by buildx's own rules: `use --global`, `use` for this context, `use --default`, the context itself."""
    context = current_context(environment)
    key = engine_address(environment) if context == DEFAULT_CONTEXT else context
    folder = config_folder(environment)
    content = _json(folder / "current")
    if isinstance(content, dict) and content.get("Name") and (content.get("Global") or content.get("Key") == key):
        return str(content["Name"])
    by_default = folder / "defaults" / hashlib.sha256(key.encode()).hexdigest()[:20]
    name = by_default.read_text(encoding="utf-8").strip() if by_default.is_file() else ""
    return name or context


def _node(content: dict[str, object]) -> BuilderNode:
    platforms = content.get("Platforms")
    options = content.get("DriverOpts")
    return BuilderNode(
        name=str(content.get("Name") or ""),
        endpoint=str(content.get("Endpoint") or ""),
        platforms=_platforms(platforms) if isinstance(platforms, list) else (),
        options=tuple((str(key), str(value)) for key, value in options.items()) if isinstance(options, dict) else (),
    )


def _platforms(entries: list[object]) -> tuple[Platform, ...]:
    found = [entry for entry in entries if isinstance(entry, dict) and entry.get("architecture")]
    return tuple(
        Platform(str(entry.get("os") or "linux"), str(entry["architecture"]), str(entry.get("variant") or ""))
        for entry in found
    )


def _json(path: Path) -> object:
    try:
        with path.open("rb") as stream:
            return json.loads(stream.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return None
