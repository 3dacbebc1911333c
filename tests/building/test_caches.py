"""Caches: one place a service and platform, branch before default branch, never written from a fork."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator.building.annotations import index_annotations, manifest_annotations
from orchestrator.building.caches import Branches, Caches, caches_of
from orchestrator.building.profile import profile_of
from orchestrator.core.fleet import Cache, CacheType, Place, RegistrySettings, Service
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.core.reference import Reference


def service(cache: Cache = Cache(), image: str = "ghcr.io/acme/api", **more: Any) -> Service:  # noqa: B008
    return Service(
        name="api",
        place=Place("m.yaml", 1, 1),
        images=(Reference.parse(image),),
        tags=("latest",),
        platforms=(LINUX_AMD64, LINUX_ARM64),
        context=Path("/src"),
        dockerfile=Path("/src/Dockerfile"),
        cache=cache,
        **more,
    )


def caches(
    cache: Cache, platform: Platform = LINUX_ARM64, image: str = "ghcr.io/acme/api", **branches: object
) -> Caches:
    return caches_of(service(cache, image), platform, Branches(**branches))  # type: ignore[arg-type]


def test_a_registry_cache_reads_the_branch_before_the_default_branch() -> None:
    found = caches(Cache(CacheType.REGISTRY), branch="Feature/X_1")
    assert found.sources == (
        "type=registry,ref=ghcr.io/acme/mabuild-cache:api-linux-arm64-feature-x-1",
        "type=registry,ref=ghcr.io/acme/mabuild-cache:api-linux-arm64-main",
    )
    assert found.goals[0].startswith(found.sources[0])
    assert {"mode=max", "image-manifest=true", "oci-mediatypes=true", "ignore-error=true"} <= set(
        found.goals[0].split(",")
    )


def test_platforms_do_not_share_a_place() -> None:
    for kind in (CacheType.REGISTRY, CacheType.GHA, CacheType.LOCAL):
        assert caches(Cache(kind), LINUX_AMD64).goals != caches(Cache(kind), LINUX_ARM64).goals


def test_the_default_branch_is_read_once() -> None:
    assert caches(Cache(CacheType.GHA)).sources == ("type=gha,scope=api-linux-arm64-main",)
    assert caches(Cache(CacheType.GHA), default="trunk").sources == ("type=gha,scope=api-linux-arm64-trunk",)


def test_a_fork_writes_nothing() -> None:
    for kind in (CacheType.REGISTRY, CacheType.GHA, CacheType.LOCAL):
        found = caches(Cache(kind), writable=False)
        assert found.sources
        assert found.goals == ()


def test_a_place_of_the_users_choice() -> None:
    chosen = caches(Cache(CacheType.REGISTRY, "registry.example/cache"))
    assert chosen.sources == ("type=registry,ref=registry.example/cache:api-linux-arm64-main",)
    local = caches(Cache(CacheType.LOCAL, "/var/my,cache"))
    assert local.sources == ('type=local,"src=/var/my,cache/api-linux-arm64"',)


def test_an_image_without_a_folder_above_it() -> None:
    found = caches(Cache(CacheType.REGISTRY), image="localhost:5000/api")
    assert found.sources == ("type=registry,ref=localhost:5000/mabuild-cache:api-linux-arm64-main",)


def test_no_cache_is_no_cache() -> None:
    assert caches(Cache()) == Caches()


def test_annotations_go_where_their_level_says() -> None:
    annotations = (
        ("plain", "1"),
        ("index:i", "2"),
        ("manifest:m", "3"),
        ("index,manifest:both", "4"),
        ("manifest[linux/arm64]:one", "5"),
        ("org.example/a:b", "6"),
    )
    found = service(annotations=annotations)
    assert manifest_annotations(found) == (
        ("plain", "1"),
        ("manifest:m", "3"),
        ("manifest:both", "4"),
        ("manifest[linux/arm64]:one", "5"),
        ("org.example/a:b", "6"),
    )
    assert index_annotations(found) == (("plain", "1"), ("i", "2"), ("both", "4"), ("org.example/a:b", "6"))


@pytest.mark.parametrize(
    ("host", "takes"),
    [
        ("ghcr.io", True),
        ("docker.io", True),
        ("localhost:5000", True),
        ("registry.gitlab.com", False),
        ("public.ecr.aws", False),
        ("123456789012.dkr.ecr.eu-central-1.amazonaws.com", False),
        ("named.example", False),
    ],
)
def test_which_registries_take_attestations_as_artifacts(host: str, *, takes: bool) -> None:
    settings = (RegistrySettings("named.example", profile="gitlab"),)
    assert profile_of(host, settings).oci_artifact is takes
