"""Images of the docker engine, by what `docker save` would write: kept in a file without a name while it is read."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from orchestrator.core.errors import MabuildError
from orchestrator.registry.archive import open_archive
from orchestrator.registry.errors import NotFoundError, RegistryError
from orchestrator.registry.layout import Content

_PIECE = 2 * 1024 * 1024
JsonObject = dict[str, object]


def open_image(name: str, environment: Mapping[str, str]) -> Content:
    """The layout of an image of the engine that `DOCKER_HOST` names; NotFoundError where it has no such image.

    An engine with the containerd store gives the list of all platforms, and of what is in it only what it has.
    """
    file = tempfile.TemporaryFile(dir=environment.get("TMPDIR") or None)  # noqa: SIM115  # the content closes it
    try:
        _save(name, environment, file)
        file.seek(0)
        return open_archive(file, f"the engine's image {name}")
    except BaseException:
        file.close()
        raise


def _save(name: str, environment: Mapping[str, str], file: BinaryIO) -> None:
    import docker
    from docker.errors import DockerException, ImageNotFound, NotFound
    from requests.exceptions import RequestException

    try:
        client = docker.from_env(environment=with_host(environment), timeout=600)
        try:
            client.images.get(name)
            file.writelines(client.api.get_image(name, chunk_size=_PIECE))
        finally:
            client.close()
    except (ImageNotFound, NotFound) as error:
        hint = "docker image ls shows what it has"
        raise NotFoundError(f"the docker engine has no image {name}", hint=hint) from error
    except (DockerException, RequestException) as error:
        hint = "is it running, and is DOCKER_HOST right?"
        raise RegistryError("the docker engine does not answer", hint=hint) from error
    except OSError as error:
        raise MabuildError(f"the image {name} cannot be kept in a file: {error.strerror}") from error


def with_host(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment with the engine that docker's current context names, which the docker SDK does not look at."""
    folder = Path(environment.get("DOCKER_CONFIG") or Path(environment.get("HOME") or "~").expanduser() / ".docker")
    name = environment.get("DOCKER_CONTEXT") or _text(_object(folder / "config.json"), "currentContext")
    if "DOCKER_HOST" in environment or name in {"", "default"}:
        return dict(environment)
    endpoints = _object(folder / "contexts/meta" / hashlib.sha256(name.encode()).hexdigest() / "meta.json")
    host = _text(_inner(_inner(endpoints, "Endpoints"), "docker"), "Host")
    return {**environment, "DOCKER_HOST": host} if host else dict(environment)


def _object(path: Path) -> JsonObject:
    try:
        found = json.loads(path.read_bytes()) if path.is_file() else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _inner(source: JsonObject, key: str) -> JsonObject:
    value = source.get(key)
    return value if isinstance(value, dict) else {}


def _text(source: JsonObject, key: str) -> str:
    value = source.get(key)
    return value if isinstance(value, str) else ""
