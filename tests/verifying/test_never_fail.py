"""What other verifiers fail on and is right: ordinary images of BuildKit, podman and others pass on every level."""

from __future__ import annotations

import gzip
import json

import pytest

from orchestrator.core.fleet import Level
from orchestrator.core.image import DOCKER_LIST, DOCKER_MANIFEST
from orchestrator.core.verification import Verdict
from tests.verifying.binaries import program
from tests.verifying.images import (
    AMD64,
    ARM64,
    DOCKER_LAYER,
    GZIP_LAYER,
    PLAIN_LAYER,
    SLSA02,
    SPDX,
    ZSTD_LAYER,
    Json,
    Layer,
    Shelf,
    archive,
    attestation,
    file,
    image,
    index,
    layer,
)
from tests.verifying.roots import bad, glibc, healthy, look, program_layer

EVERY = list(Level)


def passes(shelf: Shelf, level: Level, *platforms: str) -> None:
    result = look(shelf, level, *platforms)
    assert bad(result) == [], [finding.message for finding in result.findings]
    assert result.verdict is Verdict.PASS, result.not_checked


@pytest.mark.parametrize("level", EVERY)
@pytest.mark.parametrize("artifact", [True, False])
def test_both_forms_of_attestations(level: Level, artifact: bool) -> None:
    shelf = Shelf()
    entries = [healthy(shelf, platform) for platform in (AMD64, ARM64)]
    both: dict[str, Json] = {SLSA02: {}, SPDX: {}}
    index(shelf, *entries, *(attestation(shelf, entry, both, artifact=artifact) for entry in entries))
    passes(shelf, level, AMD64, ARM64)
    assert [row.attestations for row in look(shelf, level).platforms] == [tuple(sorted(both))] * 2


@pytest.mark.parametrize("level", EVERY)
@pytest.mark.parametrize(
    ("listed", "configured", "asked"),
    [
        ("linux/arm64/v8", "linux/arm64", "linux/arm64"),
        ("linux/arm64", "linux/arm64/v8", "linux/arm64/v8"),
        ("linux/arm", "linux/arm/v7", "linux/arm/v7"),
        ("linux/arm/v7", "linux/arm", "linux/arm"),
        ("linux/amd64/v1", "linux/amd64", "linux/amd64"),
    ],
)
def test_spellings_of_the_same_platform(level: Level, listed: str, configured: str, asked: str) -> None:
    shelf = Shelf()
    system, architecture, *variant = configured.split("/")
    entry = image(
        shelf,
        listed,
        [layer(file("bin/app", program(architecture)))],
        config={"os": system, "architecture": architecture, "variant": variant[0] if variant else None},
    )
    index(shelf, entry)
    passes(shelf, level, asked)


def estargz(*contents: bytes) -> bytes:
    return b"".join(gzip.compress(content) for content in contents)


@pytest.mark.parametrize("level", EVERY)
@pytest.mark.parametrize("media_type", [GZIP_LAYER, ZSTD_LAYER, PLAIN_LAYER, DOCKER_LAYER])
def test_kinds_of_layers(level: Level, media_type: str) -> None:
    shelf = Shelf()
    index(shelf, image(shelf, AMD64, [layer(file("bin/app", program("amd64")), media_type=media_type)]))
    passes(shelf, level, AMD64)


@pytest.mark.parametrize("level", EVERY)
def test_layers_of_many_gzip_members(level: Level) -> None:
    shelf = Shelf()
    tar = archive([file("bin/app", program("amd64"))])
    whole = layer(file("bin/app", program("amd64")))
    many = Layer(estargz(tar[:512], tar[512:5000], tar[5000:]), GZIP_LAYER, whole.diff_id)
    index(shelf, image(shelf, AMD64, [many]))
    passes(shelf, level, AMD64)


@pytest.mark.parametrize("level", EVERY)
def test_zstd_twins_of_podman(level: Level) -> None:
    shelf = Shelf()
    layers = [layer(*glibc("amd64")), program_layer("amd64")]
    zstd_layers = [layer(*glibc("amd64"), media_type=ZSTD_LAYER), program_layer("amd64")]
    twin: Json = {"annotations": {"io.github.containers.compression.zstd": "true"}}
    runtime = {"Entrypoint": ["/usr/bin/app"]}
    plain = image(shelf, AMD64, layers, runtime=runtime)
    index(shelf, plain, image(shelf, AMD64, zstd_layers, runtime=runtime, entry=twin))
    passes(shelf, level, AMD64)


@pytest.mark.parametrize("level", EVERY)
def test_unknown_kinds_of_entries(level: Level) -> None:
    shelf = Shelf()
    odd = shelf.add(b"{}", "application/vnd.example.thing.v1+json")
    empty = shelf.add(b"{}", "application/vnd.oci.empty.v1+json")
    body: Json = {"schemaVersion": 2, "artifactType": "application/x", "config": empty, "layers": []}
    artifact = shelf.add_json(body, "application/vnd.oci.image.manifest.v1+json")
    index(shelf, healthy(shelf, AMD64), odd, artifact)
    passes(shelf, level, AMD64)


@pytest.mark.parametrize("level", EVERY)
def test_lists_without_media_type_and_nested_lists(level: Level) -> None:
    shelf = Shelf()
    inner = index(shelf, healthy(shelf, ARM64), tag="inner", mediaType=None)
    nested = {"mediaType": shelf.types[inner], "digest": inner, "size": len(shelf.content[inner])}
    digest = index(shelf, healthy(shelf, AMD64), nested, mediaType=None)
    passes(shelf, level, AMD64, ARM64)
    shelf.types[digest] = ""
    passes(shelf, level, AMD64, ARM64)


@pytest.mark.parametrize("level", EVERY)
def test_manifests_without_media_type(level: Level) -> None:
    shelf = Shelf()
    index(shelf, healthy(shelf, AMD64, manifest={"mediaType": None}))
    passes(shelf, level, AMD64)


@pytest.mark.parametrize("level", EVERY)
def test_docker_types(level: Level) -> None:
    shelf = Shelf()
    entries = [healthy(shelf, platform, manifest={"mediaType": DOCKER_MANIFEST}) for platform in (AMD64, ARM64)]
    index(shelf, *entries, media_type=DOCKER_LIST)
    passes(shelf, level, AMD64, ARM64)


@pytest.mark.parametrize("level", EVERY)
def test_configurations_in_the_descriptor_itself(level: Level) -> None:
    shelf = Shelf()
    entry = healthy(shelf, AMD64)
    manifest = json.loads(shelf.content[entry["digest"]])
    index(shelf, healthy(shelf, AMD64, manifest={**manifest, "config": {**manifest["config"], "data": "bm9uc2Vuc2U="}}))
    passes(shelf, level, AMD64)


@pytest.mark.parametrize("level", EVERY)
def test_an_empty_list(level: Level) -> None:
    shelf = Shelf()
    index(shelf)
    result = look(shelf, level)
    assert bad(result) == []
    assert bad(look(shelf, level, AMD64)) == ["MV101"]


@pytest.mark.parametrize("level", [Level.META, Level.EXIST])
def test_windows_images(level: Level) -> None:
    shelf = Shelf()
    windows: Json = {"platform": {"os": "windows", "architecture": "amd64", "os.version": "10.0.20348.1"}}
    index(shelf, healthy(shelf, AMD64), image(shelf, "windows/amd64", [layer(file("Files/x"))], entry=windows))
    passes(shelf, level, AMD64, "windows/amd64")


@pytest.mark.parametrize("level", [Level.ENTRYPOINT, Level.FULL])
def test_the_inside_of_windows_images_is_not_claimed_to_be_proved(level: Level) -> None:
    shelf = Shelf()
    index(shelf, image(shelf, "windows/amd64", [layer(file("Files/x"))]))
    result = look(shelf, level)
    assert result.findings == ()
    assert result.verdict is Verdict.INCOMPLETE
    assert result.not_checked[0] == "the inside of windows/amd64: only Linux images are looked into"


@pytest.mark.parametrize("level", [Level.ENTRYPOINT, Level.FULL])
def test_layers_of_unknown_kinds_are_no_fault_but_not_proved(level: Level) -> None:
    shelf = Shelf()
    odd = Layer(b"ciphertext", "application/vnd.oci.image.layer.v1.tar+gzip+encrypted", "sha256:" + "0" * 64)
    index(shelf, image(shelf, AMD64, [layer(file("bin/app", program("amd64"))), odd]))
    result = look(shelf, level)
    assert bad(result) == []
    assert result.verdict is Verdict.INCOMPLETE
