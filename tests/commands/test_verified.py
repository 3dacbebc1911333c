"""Which images a call of `verify` means."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.commands.verified import wanted_images
from orchestrator.core.errors import UsageError
from orchestrator.core.fleet import Fleet, Level
from orchestrator.core.platform import LINUX_AMD64
from orchestrator.manifest.load import load
from tests.commands.calling import write

MANIFEST = """\
version: 1
registry: ghcr.io/acme
defaults: {tags: ["1.0", latest]}
services:
  api: {image: [api, docker.io/acme/api], context: ., verify: {level: entrypoint}}
  web: {image: web, context: ., platforms: [linux/amd64]}
"""
API = ["ghcr.io/acme/api:1.0", "ghcr.io/acme/api:latest", "docker.io/acme/api:1.0", "docker.io/acme/api:latest"]
WEB = ["ghcr.io/acme/web:1.0", "ghcr.io/acme/web:latest"]


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    write(tmp_path, {"mabuild.yaml": MANIFEST, "Dockerfile": "FROM scratch\n"})
    return load((), environment={}, directory=tmp_path)


@pytest.mark.parametrize(
    ("references", "texts"),
    [
        ([], API + WEB),
        (["web"], WEB),
        (["web", "web", "ghcr.io/acme/web:latest"], WEB),
        (["ghcr.io/acme/api:1.0"], ["ghcr.io/acme/api:1.0"]),
        (["ghcr.io/other/web:1", "oci-layout:dist/web"], ["ghcr.io/other/web:1", "oci-layout:dist/web"]),
    ],
)
def test_images_are_named_by_reference_or_by_service(fleet: Fleet, references: list[str], texts: list[str]) -> None:
    assert [one.text for one in wanted_images(references, fleet, (), None, "")] == texts


def test_an_image_of_the_fleet_is_held_to_what_its_service_asks(fleet: Fleet) -> None:
    api, web, other = wanted_images(["ghcr.io/acme/api:1.0", "ghcr.io/acme/web:1.0", "other:1"], fleet, (), None, "")
    assert api.expectation.level is Level.ENTRYPOINT
    assert web.expectation.platforms == (LINUX_AMD64,)
    assert (other.expectation.level, other.expectation.platforms) == (Level.EXIST, ())


def test_the_call_goes_before_the_manifest(fleet: Fleet) -> None:
    (api, *_) = wanted_images(["api"], fleet, (LINUX_AMD64,), Level.FULL, "sha256:x")
    assert (api.expectation.level, api.expectation.platforms) == (Level.FULL, (LINUX_AMD64,))


def test_without_images_there_is_nothing_to_verify() -> None:
    with pytest.raises(UsageError, match="nothing to verify"):
        wanted_images([], Fleet(()), (), None, "")
