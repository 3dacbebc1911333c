"""The base images: what is in them, and copying them from elsewhere."""

from __future__ import annotations

import json
import os

import pytest

from lab import bases
from lab.home import Home
from lab.images import INDEX, MANIFEST
from lab.parts import spare_registry
from lab.process import run
from lab.setting import Lab


@pytest.fixture(scope="module")
def lab() -> Lab:
    return Lab.load(Home.from_environment(os.environ))


def raw(lab: Lab, host: str, name: str, tag: str) -> dict[str, object]:
    """What the registry holds under a tag."""
    words = ["docker", "buildx", "imagetools", "inspect", "--raw", f"{host}/{name}:{tag}"]
    value: dict[str, object] = json.loads(run(words, environment=lab.environment))
    return value


def test_the_amd64_entry_is_found_by_its_platform() -> None:
    def entry(system: str, architecture: str) -> dict[str, dict[str, str]]:
        return {"digest": f"{system}-{architecture}", "platform": {"os": system, "architecture": architecture}}  # type: ignore[dict-item]

    entries = [entry("linux", "arm64"), entry("windows", "amd64"), entry("linux", "amd64")]
    assert bases.amd64_digest(entries) == "linux-amd64"


@pytest.mark.real
def test_the_small_images_are_copied(lab: Lab) -> None:
    with spare_registry(lab.environment) as registry:
        assert bases.lacking(registry.host, bases.SMALL)
        bases.copy_small(registry.host, lab.environment, source=lab.registry.host)
        assert not bases.lacking(registry.host, bases.SMALL)
        assert len(raw(lab, registry.host, *bases.BUSYBOX)["manifests"]) >= 2  # type: ignore[arg-type]
        partial = raw(lab, registry.host, *bases.AMD64_ONLY)
        assert partial["mediaType"] == INDEX
        assert len(partial["manifests"]) == 1  # type: ignore[arg-type]
        assert raw(lab, registry.host, *bases.SINGLE_AMD64)["mediaType"] == MANIFEST


@pytest.mark.real
@pytest.mark.parametrize("architecture", ["amd64", "arm64"])
def test_debian_is_what_it_says(lab: Lab, architecture: str) -> None:
    """Its dpkg names the platform's architecture and finds nothing half-installed."""
    image = "debian:bookworm-slim"
    script = "dpkg --print-architecture && dpkg --audit && test -s /etc/ssl/certs/ca-certificates.crt && id -un _apt"
    words = ["docker", "run", "--rm", "--quiet", "--platform", f"linux/{architecture}", image, "sh", "-c", script]
    assert run(words, environment=lab.environment).split() == [architecture, "_apt"]
