"""Base images asked of a real registry: a list, a list that lacks a platform, a single manifest, and none at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.core.errors import PlanError
from orchestrator.core.plan import Plan
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from orchestrator.planning.plan import Doors, Options, make_plan
from orchestrator.planning.published import published
from orchestrator.planning.reading import DockerfileRecipes
from orchestrator.planning.select import Selection
from orchestrator.registry.client import RegistryClient
from tests.buildx.parts import lab_environment
from tests.planning.fleets import AMD64_NODE, fleet, service

pytestmark = pytest.mark.real


@pytest.fixture
def client() -> Iterator[RegistryClient]:
    """A client for the lab's registry."""
    found = RegistryClient((), dict(os.environ))
    yield found
    found.close()


def _plan(folder: Path, client: RegistryClient, base: str) -> Plan:
    name = base.replace("HOST", lab_environment()["MABUILD_LAB_REGISTRY"])
    (folder / "Dockerfile").write_text(f"# a comment\nFROM {name}\n")
    app = replace(service("app"), context=folder, dockerfile=folder / "Dockerfile")
    wanted = fleet(app)
    doors = Doors(lambda: (AMD64_NODE,), lambda reference: published(client, reference), DockerfileRecipes(wanted))
    return make_plan(wanted, Selection(), doors, Options())


def test_a_list_with_both_platforms_is_known_with_the_digest_of_each(tmp_path: Path, client: RegistryClient) -> None:
    (base,) = _plan(tmp_path, client, "HOST/library/busybox:stable").bases
    assert [entry.platform for entry in base.platforms] == [LINUX_AMD64, LINUX_ARM64]
    digests = {base.digest, *(entry.digest for entry in base.platforms)}
    assert len(digests) == 3
    assert all(digest.startswith("sha256:") for digest in digests)


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ("HOST/lab/amd64-only:1", "has no linux/arm64; it has linux/amd64"),
        ("HOST/lab/single-amd64:1", "is a single image for linux/amd64 and cannot serve linux/arm64"),
        ("HOST/lab/nowhere:1", "cannot be had"),
    ],
)
def test_what_cannot_serve_a_platform_is_refused_with_its_line(
    tmp_path: Path, client: RegistryClient, base: str, words: str
) -> None:
    with pytest.raises(PlanError) as caught:
        _plan(tmp_path, client, base)
    finding = caught.value.findings[0]
    assert words in finding.message
    assert (finding.path, finding.line) == (str(tmp_path / "Dockerfile"), 2)


def test_the_digest_of_one_platform_is_refused_for_the_other(tmp_path: Path, client: RegistryClient) -> None:
    (base,) = _plan(tmp_path, client, "HOST/library/busybox:stable").bases
    pinned = f"HOST/library/busybox@{base.platforms[0].digest}"
    with pytest.raises(PlanError) as caught:
        _plan(tmp_path, client, pinned)
    assert [finding.rule for finding in caught.value.findings] == ["MA106"]
