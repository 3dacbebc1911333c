"""Images of the docker engine, by what `docker save` would write: kept in a file without a name while it is read."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from typing import BinaryIO

from orchestrator.core.errors import MabuildError
from orchestrator.registry.archive import open_archive
from orchestrator.registry.errors import NotFoundError, RegistryError
from orchestrator.registry.layout import Content

_PIECE = 2 * 1024 * 1024


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
        client = docker.from_env(environment=dict(environment), timeout=600)
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
