"""What a service's key depends on, part by part."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core.fleet import Attest, Place, Secret, Service
from orchestrator.core.key import Ingredients
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.core.reference import Reference
from orchestrator.dockerfile.ingredients import IngredientReader

FILE = """# syntax=docker/dockerfile:1
ARG BASE=debian:12
FROM --platform=$BUILDPLATFORM golang:1.25 AS build
COPY main.go .
RUN --mount=type=secret,id=token go build
FROM $BASE
COPY --from=build /go/app /app
COPY --from=registry.example/fleet/parent /x /x
"""


@dataclass
class World:
    """A service, and what registries say of the images that it names."""

    folder: Path
    text: str = FILE
    service: dict[str, Any] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)

    def of_platform(self, reference: Reference, platform: Platform) -> str:
        name = f"{reference.familiar} {platform}"
        return self.digests.get(name, f"sha256:of {name}")

    def of_list(self, reference: Reference) -> str:
        return self.digests.get(reference.familiar, f"sha256:of {reference.familiar}")

    def read(self, platform: Platform = LINUX_ARM64, build: Platform = LINUX_AMD64) -> Ingredients:
        (self.folder / "Dockerfile").write_text(self.text)
        service = Service(
            name="api",
            place=Place("m.yaml", 1, 1),
            images=(Reference.parse("registry.example/fleet/api"),),
            tags=("latest",),
            platforms=(LINUX_AMD64, LINUX_ARM64),
            context=self.folder,
            dockerfile=self.folder / "Dockerfile",
        )
        parents = frozenset({"registry.example/fleet/parent"})
        return IngredientReader(self).read(replace(service, **self.service), platform, build, parents)


@pytest.fixture
def world(tmp_path: Path) -> World:
    (tmp_path / "main.go").write_text("package main")
    return World(tmp_path)


def test_the_same_again_is_the_same(world: World) -> None:
    assert world.read() == world.read()
    assert world.read().open == ()


@pytest.mark.parametrize(
    "more",
    [
        {"target": "build"},
        {"args": (("A", "1"),)},
        {"labels": (("l", "1"),)},
        {"annotations": (("a", "1"),)},
        {"secrets": (Secret("token", env="T"),)},
        {"ssh": ("default",)},
        {"attest": Attest("max")},
        {"contexts": (("golang:1.25", "docker-image://golang:1.26"),)},
    ],
    ids=lambda more: next(iter(more)),
)
def test_what_the_manifest_says_counts(world: World, more: dict[str, Any]) -> None:
    before = world.read()
    world.service = more
    assert world.read().digest != before.digest


@pytest.mark.parametrize("image", ["debian:12 linux/arm64", "golang:1.25", "docker/dockerfile:1"])
def test_the_digest_of_every_image_counts_for_the_platform_that_is_taken(world: World, image: str) -> None:
    before = world.read()
    world.digests[image] = "sha256:another"
    assert world.read().digest != before.digest


@pytest.mark.parametrize(
    "image", ["debian:12 linux/amd64", "golang:1.25 linux/arm64", "debian:12", "other:1 linux/arm64"]
)
def test_other_digests_do_not_count(world: World, image: str) -> None:
    before = world.read()
    world.digests[image] = "sha256:another"
    assert world.read() == before


@pytest.mark.parametrize("platform", [LINUX_AMD64, LINUX_ARM64])
def test_the_key_is_the_same_on_every_machine(world: World, platform: Platform) -> None:
    found = {world.read(platform, build).digest for build in (LINUX_AMD64, LINUX_ARM64, Platform("linux", "riscv64"))}
    assert len(found) == 1


def test_an_image_that_is_taken_for_both_counts_as_both(world: World) -> None:
    world.text += "COPY --from=golang:1.25 /x /x\n"
    before = world.read()
    assert world.read(build=LINUX_ARM64) == before
    for image in ("golang:1.25", "golang:1.25 linux/arm64"):
        world.digests = {image: "sha256:another"}
        assert world.read().digest != before.digest


def test_an_image_whose_name_depends_on_the_machine_counts_for_that_machine(world: World) -> None:
    world.text = world.text.replace("golang:1.25", "golang-$BUILDARCH:1")
    assert world.read(build=LINUX_AMD64).digest != world.read(build=LINUX_ARM64).digest


def test_where_secrets_come_from_does_not_count(world: World) -> None:
    world.service = {"secrets": (Secret("token", env="T"),)}
    before = world.read()
    world.service = {"secrets": (Secret("token", file="/run/t"),)}
    assert world.read() == before


def test_labels_that_differ_with_every_commit_do_not_count(world: World) -> None:
    before = world.read()
    world.service = {
        "labels": (("org.opencontainers.image.revision", "abc"), ("org.opencontainers.image.created", "now"))
    }
    assert world.read() == before


def test_an_image_of_unknown_digest_is_open(world: World) -> None:
    world.digests["debian:12 linux/arm64"] = ""
    assert world.read().open == ("image debian:12 for linux/arm64, whose digest is not known",)


@pytest.mark.parametrize(
    ("line", "is_open"),
    [
        ("ADD https://example.org/x.tar /x", True),
        ("ADD --checksum=sha256:0 https://example.org/x.tar /x", False),
        ("ARG V=1\nADD https://example.org/$V.tar /x", True),
        ("ADD https://github.com/a/b.git /x", True),
        ("ADD https://github.com/a/b.git#main /x", True),
        (f"ADD https://github.com/a/b.git#{'0' * 40} /x", False),
        ("ADD git@github.com:a/b.git#v1 /x", True),
        ("ADD main.go /x", False),
        ("COPY main.go /x", False),
    ],
)
def test_what_is_added_from_the_net(world: World, line: str, *, is_open: bool) -> None:
    world.text += line + "\n"
    assert bool(world.read().open) is is_open


def test_only_the_stages_of_the_target_are_looked_at(world: World) -> None:
    world.text = world.text.replace("COPY main.go .", "ADD https://example.org/x /x")
    world.text += "FROM scratch AS small\nCOPY main.go /\n"
    assert world.read().open == ()


@pytest.mark.parametrize(
    ("value", "is_open"),
    [
        ("https://example.org/x.tar", True),
        ("https://github.com/a/b.git", True),
        (f"https://github.com/a/b.git#{'a' * 40}", False),
        (f"oci-layout://there@sha256:{'a' * 64}", False),
        ("docker-image://alpine:3", False),
    ],
)
def test_named_contexts(world: World, value: str, *, is_open: bool) -> None:
    world.service = {"contexts": (("more", value),)}
    assert bool(world.read().open) is is_open


def test_a_named_folder_counts_without_what_it_ignores(world: World, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / ".dockerignore").write_text("notes\n")
    world.service = {"contexts": (("more", str(other)),)}
    before = world.read()
    (other / "notes").write_text("")
    assert world.read() == before
    (other / "code").write_text("")
    assert world.read() != before
