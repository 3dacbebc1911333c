"""Verify on the lab's registry and engine: real busybox, images of buildx, and crane and skopeo beside it."""

from __future__ import annotations

import json
import subprocess
import uuid
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.core.fleet import Level
from orchestrator.core.image import Document, sha256
from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference
from orchestrator.core.verification import Verdict, Verification
from orchestrator.registry.client import RegistryClient
from orchestrator.registry.media import parse_index, parse_manifest
from orchestrator.verifying.engine import verify
from orchestrator.verifying.expectation import Expectation, Means
from tests.faults.proxy import Fault, FaultProxy
from tests.real.lab import registry
from tests.verifying.binaries import program
from tests.verifying.images import AMD64, ARM64, Json, Layer, Shelf, file, image, index, layer
from tests.verifying.roots import bad, healthy

pytestmark = pytest.mark.real
BOTH = (Platform.parse(AMD64), Platform.parse(ARM64))
LIMIT = 240


@dataclass
class Place:
    """A repository of this test's own in the lab's registry."""

    client: RegistryClient
    repository: Reference

    def push(self, shelf: Shelf, tag: str = "v1") -> Reference:
        """Put everything on a shelf into the repository."""
        root = shelf.tags[tag]
        documents = [digest for digest, kind in shelf.types.items() if kind.endswith(("manifest.v1+json", "v2+json"))]
        for digest, content in shelf.content.items():
            if digest not in documents and digest != root:
                self.client.put_blob(self.repository, content)
        for digest in documents:
            document = Document.of(shelf.types[digest], shelf.content[digest])
            self.client.put_manifest(self.repository.with_digest(digest), document)
        self.client.put_manifest(self.repository.with_tag(tag), Document.of(shelf.types[root], shelf.content[root]))
        return self.repository.with_tag(tag)

    def look(self, reference: Reference, level: Level = Level.FULL) -> Verification:
        """Verify for both platforms."""
        means = Means(traffic=lambda: self.client.traffic)
        return verify(self.client, reference, Expectation(BOTH, level), means)


@pytest.fixture
def place() -> Iterator[Place]:
    client = RegistryClient((), {})
    yield Place(client, Reference.parse(f"{registry()}/verifying/{uuid.uuid4().hex[:12]}"))
    client.close()


def crane(reference: Reference, *options: str) -> bool:
    """Whether crane finds an image valid."""
    command = ["crane", "validate", *options, "--remote", str(reference)]
    return subprocess.run(command, capture_output=True, timeout=LIMIT, check=False).returncode == 0


def busybox(client: RegistryClient) -> tuple[Reference, dict[str, bytes]]:
    """The layers of the lab's busybox by platform: Debian's programs."""
    reference = Reference.parse(f"{registry()}/library/busybox:stable")
    found = {}
    for entry in parse_index(client.manifest(reference)).manifests:
        (one,) = parse_manifest(client.manifest(reference.with_digest(entry.digest))).layers
        with client.blob(reference, one.digest) as stream:
            found[str(entry.platform)] = stream.read(one.size + 1)
    return reference, found


@pytest.mark.parametrize("level", list(Level))
def test_debians_busybox_passes_on_every_level(level: Level) -> None:
    client = RegistryClient((), {})
    reference, _ = busybox(client)
    before = client.traffic.requests
    result = verify(client, reference, Expectation(BOTH, level), Means(traffic=lambda: client.traffic))
    assert result.verdict is Verdict.PASS, result.findings
    assert result.requests == client.traffic.requests - before == (6 if level is Level.META else 8)


def test_debians_busybox_with_its_platforms_swapped(place: Place) -> None:
    _, layers = busybox(place.client)
    shelf = Shelf()
    swapped = {AMD64: layers[ARM64], ARM64: layers[AMD64]}
    entries = [
        image(
            shelf,
            platform,
            [Layer(content, "application/vnd.oci.image.layer.v1.tar+gzip", sha256(zlib.decompress(content, 31)))],
            runtime={"Entrypoint": None, "Cmd": ["sh"]},
        )
        for platform, content in swapped.items()
    ]
    index(shelf, *entries)
    reference = place.push(shelf)
    result = place.look(reference, Level.ENTRYPOINT)
    assert [(one.rule, one.platform) for one in result.findings] == [("MV401", AMD64), ("MV401", ARM64)]
    assert "for arm64, not for amd64" in result.findings[0].message
    assert place.look(reference).verdict is Verdict.FAIL
    assert place.look(reference, Level.EXIST).verdict is Verdict.PASS
    assert crane(reference), "the strongest other verifier sees nothing"


HEALTHY: dict[str, Callable[[Shelf], list[Json]]] = {
    "plain": lambda shelf: [healthy(shelf, AMD64), healthy(shelf, ARM64)],
    "static programs": lambda shelf: [
        image(shelf, platform, [layer(file("bin/app", program(platform[6:])))]) for platform in (AMD64, ARM64)
    ],
}


def _wrong_config(shelf: Shelf) -> list[Json]:
    return [healthy(shelf, AMD64), healthy(shelf, ARM64, config={"architecture": "amd64"})]


def _wrong_diff_id(shelf: Shelf) -> list[Json]:
    one = layer(file("bin/app", program("amd64")))
    return [image(shelf, AMD64, [Layer(one.content, one.media_type, "sha256:" + "0" * 64)]), healthy(shelf, ARM64)]


def _wrong_count(shelf: Shelf) -> list[Json]:
    one = layer(file("bin/app", program("amd64")))
    return [image(shelf, AMD64, [one], config={"rootfs": {"type": "layers", "diff_ids": []}}), healthy(shelf, ARM64)]


def _wrong_variant(shelf: Shelf) -> list[Json]:
    members = layer(file("bin/app", program("arm")))
    return [image(shelf, "linux/arm/v7", [members], config={"variant": "v6"})]


def _twice(shelf: Shelf) -> list[Json]:
    app = file("bin/app", program("amd64"))
    return [image(shelf, AMD64, [layer(app, app)]), healthy(shelf, ARM64)]


FAULTY: dict[str, Callable[[Shelf], list[Json]]] = {
    "configuration of another architecture": _wrong_config,
    "configuration of another variant": _wrong_variant,
    "diff id": _wrong_diff_id,
    "number of layers": _wrong_count,
    "one path twice": _twice,
}


@pytest.mark.parametrize("name", HEALTHY)
def test_where_crane_is_right_to_pass_we_do(place: Place, name: str) -> None:
    shelf = Shelf()
    index(shelf, *HEALTHY[name](shelf))
    reference = place.push(shelf)
    assert crane(reference)
    assert place.look(reference).verdict is Verdict.PASS


@pytest.mark.parametrize("name", FAULTY)
def test_where_crane_is_right_to_fail_we_find_it(place: Place, name: str) -> None:
    shelf = Shelf()
    index(shelf, *FAULTY[name](shelf))
    reference = place.push(shelf)
    assert not crane(reference)
    assert {"MV207", "MV301"} & set(bad(place.look(reference)))


def test_a_child_and_a_layer_that_were_deleted(place: Place) -> None:
    shelf = Shelf()
    entries = [healthy(shelf, AMD64), healthy(shelf, ARM64)]
    index(shelf, *entries)
    reference = place.push(shelf)
    place.client.delete_manifest(reference.with_digest(entries[1]["digest"]))
    result = place.look(reference, Level.META)
    assert not crane(reference, "--fast")
    assert [(one.rule, one.platform) for one in result.findings] == [("MV201", ARM64)]


def test_a_layer_that_is_gone_and_one_that_arrives_damaged(place: Place) -> None:
    shelf = Shelf()
    index(shelf, healthy(shelf, AMD64), healthy(shelf, ARM64))
    reference = place.push(shelf)
    (first, *_) = [digest for digest, kind in shelf.types.items() if "layer" in kind]
    gone = Fault(path=f"/blobs/{first}", status=404, times=99)
    damaged = Fault(method="GET", path=f"/blobs/{first}", corrupt=True, times=99)
    for fault, level, rule in (
        (gone, Level.EXIST, "MV205"),
        (gone, Level.FULL, "MV205"),
        (damaged, Level.FULL, "MV206"),
    ):
        with FaultProxy(registry(), fault) as proxy:
            through = Reference.parse(f"{proxy.address}/{reference.repository}:{reference.tag}")
            result = verify(place.client, through, Expectation(BOTH, level))
            assert not crane(through, *(["--fast"] if level is Level.EXIST else []))
        assert bad(result)[0] == rule
        assert result.verdict is Verdict.FAIL


def test_skopeo_sees_the_same_platform_and_layers(place: Place) -> None:
    shelf = Shelf()
    index(shelf, healthy(shelf, AMD64), healthy(shelf, ARM64))
    reference = place.push(shelf)
    for row in place.look(reference, Level.META).platforms:
        _, architecture = row.platform.split("/")
        command = [
            "skopeo",
            "inspect",
            "-n",
            "--tls-verify=false",
            "--override-arch",
            architecture,
            f"docker://{reference}",
        ]
        seen = json.loads(subprocess.run(command, capture_output=True, timeout=LIMIT, check=True).stdout)
        assert seen["Architecture"] == architecture
        manifest = parse_manifest(place.client.manifest(reference.with_digest(row.digest)))
        assert seen["Layers"] == [one.digest for one in manifest.layers]


DOCKERFILE = """FROM busybox:stable
RUN echo built > /built
COPY app /app
ENTRYPOINT ["/bin/busybox", "sh", "/app"]
"""


@pytest.mark.parametrize("provenance", ["mode=min", "mode=max", "false"])
@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_images_that_buildx_built(place: Place, tmp_path: Path, provenance: str, compression: str) -> None:
    (tmp_path / "Dockerfile").write_text(DOCKERFILE)
    (tmp_path / "app").write_text("#!/bin/sh\nexec sleep 1\n")
    reference = place.repository.with_tag("v1")
    output = (
        f"type=image,name={reference},push=true,oci-mediatypes=true,compression={compression},force-compression=true"
    )
    attest = f"--provenance={provenance}"
    command = [
        "docker",
        "buildx",
        "build",
        "--platform",
        "linux/amd64,linux/arm64",
        attest,
        "--output",
        output,
        str(tmp_path),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=LIMIT)
    for level in Level:
        result = place.look(reference, level)
        assert result.verdict is Verdict.PASS, (level, result.findings, result.not_checked)
        assert bad(result) == []
    rows = {row.platform: row for row in place.look(reference, Level.EXIST).platforms}
    if provenance == "false":
        assert rows[AMD64].attestations == ()
        return
    assert all("slsa.dev/provenance" in row.attestations[0] for row in rows.values())
    assert rows[AMD64].built_on == rows[ARM64].built_on != ""
    if provenance == "mode=max":
        modes = {rows[AMD64].mode, rows[ARM64].mode}
        assert modes == {"native", "emulated"}
        assert [one.rule for one in place.look(reference, Level.EXIST).findings] == ["MV304"]
