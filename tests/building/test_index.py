"""The index: deterministic bytes, order of the plan, attestations behind their image, and a gate before it."""

from __future__ import annotations

import json

import pytest

from orchestrator.building.entries import KEY, entries_of, with_notes
from orchestrator.building.index import index_document, require_platforms
from orchestrator.core.errors import BuildError
from orchestrator.core.image import (
    ATTESTATION,
    DOCKER_MANIFEST,
    OCI_INDEX,
    OCI_MANIFEST,
    REFERENCE_DIGEST,
    REFERENCE_TYPE,
    Descriptor,
    Document,
)
from orchestrator.core.plan import CellId
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.core.result import CellResult, Outcome

DIGEST = {letter: f"sha256:{letter * 64}" for letter in "abcdef"}


def image(letter: str, architecture: str, **platform: str) -> dict[str, object]:
    fields = {"architecture": architecture, "os": "linux", **platform}
    return {"mediaType": OCI_MANIFEST, "digest": DIGEST[letter], "size": 1, "platform": fields}


def attestation(letter: str, of: str, **more: str) -> dict[str, object]:
    notes = {REFERENCE_TYPE: ATTESTATION, REFERENCE_DIGEST: DIGEST[of]}
    unknown = {"architecture": "unknown", "os": "unknown"}
    return {
        "mediaType": OCI_MANIFEST,
        "digest": DIGEST[letter],
        "size": 2,
        "annotations": notes,
        "platform": unknown,
        **more,
    }


def pushed(*entries: dict[str, object]) -> Document:
    content = {"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": entries}
    return Document.of(OCI_INDEX, json.dumps(content, indent=3).encode())


def cell(document: Document, platform: Platform, key: str = "") -> CellResult:
    notes = {KEY: key} if key else {}
    entries = tuple(with_notes(entry, notes) for entry in entries_of(document, platform))
    return CellResult(CellId("api", platform), Outcome.BUILT, document.digest, entries, key=key)


def test_images_stand_in_the_order_of_the_cells_each_before_its_attestations() -> None:
    """Both of BuildKit's forms: the older one, and the newer one with an artifact type."""
    newer = attestation("d", "c", artifactType="application/vnd.docker.attestation.manifest.v1+json")
    cells = [
        cell(pushed(image("a", "amd64"), attestation("b", "a")), LINUX_AMD64, "k1"),
        cell(pushed(image("c", "arm64", variant="v8"), newer), LINUX_ARM64, "k2"),
    ]
    content = json.loads(index_document(cells, (("note", "1"),)).content)
    assert content["mediaType"] == OCI_INDEX
    assert content["annotations"] == {"note": "1"}
    assert [entry["digest"][7] for entry in content["manifests"]] == ["a", "b", "c", "d"]
    assert content["manifests"][1] == attestation("b", "a")
    assert content["manifests"][3] == newer
    assert content["manifests"][2] == {**image("c", "arm64", variant="v8"), "annotations": {KEY: "k2"}}


def test_the_same_cells_give_the_same_bytes_however_they_were_written() -> None:
    entries = (image("a", "amd64"), attestation("b", "a"))
    spaced = Document.of(OCI_INDEX, json.dumps({"schemaVersion": 2, "manifests": entries}, indent=8).encode())
    dense = Document.of(OCI_INDEX, json.dumps({"schemaVersion": 2, "manifests": entries}).encode())
    one, other = (index_document([cell(document, LINUX_AMD64, "k")], ()) for document in (spaced, dense))
    assert one == other


def test_an_image_without_attestations_is_an_entry_too() -> None:
    manifest = Document.of(OCI_MANIFEST, json.dumps({"schemaVersion": 2, "config": {}, "layers": []}).encode())
    entries = entries_of(manifest, LINUX_ARM64)
    assert entries == (Descriptor(OCI_MANIFEST, manifest.digest, len(manifest.content), LINUX_ARM64),)
    content = json.loads(index_document([cell(manifest, LINUX_ARM64)], ()).content)
    assert content["manifests"][0]["platform"] == {"architecture": "arm64", "os": "linux"}


def test_an_image_of_docker_keeps_its_type() -> None:
    document = pushed({**image("a", "amd64"), "mediaType": DOCKER_MANIFEST})
    content = json.loads(index_document([cell(document, LINUX_AMD64)], ()).content)
    assert content["mediaType"] == OCI_INDEX
    assert content["manifests"][0]["mediaType"] == DOCKER_MANIFEST


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ((image("a", "amd64"),), "gave linux/amd64"),
        ((), "gave nothing"),
        ((image("a", "arm64"), image("b", "arm64")), "gave linux/arm64, linux/arm64"),
        ((image("a", "arm64"), attestation("b", "c")), "belongs to no image"),
    ],
)
def test_a_cell_that_is_not_what_was_planned_is_refused(entries: tuple[dict[str, object], ...], said: str) -> None:
    with pytest.raises(BuildError, match=said):
        entries_of(pushed(*entries), LINUX_ARM64)


def test_the_gate_names_what_is_missing_and_what_is_too_much() -> None:
    arm = cell(pushed(image("c", "arm64")), LINUX_ARM64)
    require_platforms("api", [LINUX_ARM64], [arm])
    with pytest.raises(BuildError, match="missing: linux/amd64; not planned: linux/arm64"):
        require_platforms("api", [LINUX_AMD64], [arm])
    with pytest.raises(BuildError, match="twice: linux/arm64"):
        require_platforms("api", [LINUX_ARM64], [arm, arm])
    with pytest.raises(BuildError, match="missing: linux/arm64"):
        require_platforms("api", [LINUX_ARM64], [])
