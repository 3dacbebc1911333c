from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.image import (
    DOCKER_LIST,
    OCI_CONFIG,
    OCI_INDEX,
    OCI_MANIFEST,
    Descriptor,
    Document,
    Index,
    Manifest,
)
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.registry.errors import MalformedError
from orchestrator.registry.media import (
    MOST_ENTRIES,
    descriptor_of,
    index_document,
    media_type_of,
    parse,
    parse_config,
    parse_index,
    parse_manifest,
)
from tests.registry.images import make_image, pretty

DIGEST = f"sha256:{'a' * 64}"
ATTESTATION = {"vnd.docker.reference.type": "attestation-manifest", "vnd.docker.reference.digest": DIGEST}


def index_of(*entries: object, **fields: object) -> Document:
    return Document.of(OCI_INDEX, pretty({"schemaVersion": 2, "manifests": list(entries), **fields}))


def entry(**fields: object) -> dict[str, object]:
    return {"mediaType": OCI_MANIFEST, "digest": DIGEST, "size": 7, **fields}


def test_an_ordinary_image() -> None:
    image = make_image()
    index = parse(Document.of(OCI_INDEX, image.index))
    assert isinstance(index, Index)
    assert [found.platform for found in index.manifests] == [LINUX_AMD64, LINUX_ARM64]
    manifest = parse(Document.of(OCI_MANIFEST, image.manifests[1]))
    assert isinstance(manifest, Manifest)
    assert manifest.config.media_type == OCI_CONFIG
    assert [layer.size for layer in manifest.layers] == [len(image.layer)]
    config = parse_config(image.configs[1])
    assert config.platform == LINUX_ARM64
    assert len(config.diff_ids) == 1


def test_an_index_without_media_type_is_known_by_its_shape() -> None:
    assert isinstance(parse(Document.of("application/json", index_of(entry()).content)), Index)
    assert media_type_of(index_of().content, "text/plain") == OCI_INDEX
    assert media_type_of(b'{"config":{},"layers":[]}', "") == OCI_MANIFEST
    assert media_type_of(pretty({"mediaType": DOCKER_LIST}), "application/json") == DOCKER_LIST


def test_the_announced_type_counts() -> None:
    assert media_type_of(b"not JSON at all", OCI_INDEX) == OCI_INDEX


def test_a_page_is_no_manifest() -> None:
    with pytest.raises(MalformedError, match=r"the answer \(text/html\) is no manifest") as caught:
        media_type_of(b"<html>sign in", "text/html")
    assert caught.value.hint == "is this address a registry?"


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        (None, None),
        ({}, None),
        ({"os": "", "architecture": ""}, None),
        ("linux/amd64", None),
        ({"os": "linux", "architecture": "arm64", "variant": "v8"}, LINUX_ARM64),
        ({"os": "linux", "architecture": "aarch64"}, LINUX_ARM64),
        ({"os": "unknown", "architecture": "unknown"}, Platform("unknown", "unknown")),
        ({"os": "linux", "architecture": 5}, Platform("linux", "")),
    ],
)
def test_platforms(platform: object, expected: Platform | None) -> None:
    assert parse_index(index_of(entry(platform=platform))).manifests[0].platform == expected


def test_unusual_entries_are_kept() -> None:
    document = index_of(
        entry(mediaType="application/x-new", artifactType="text/x", data="e30=", urls=["https://a", 5]),
        entry(mediaType=OCI_INDEX, annotations={"a": "b", "c": 1}),
        {"digest": 5, "size": "7"},
        "not an entry",
        annotations={"top": "level"},
    )
    first, nested, strange = parse_index(document).manifests
    assert (first.media_type, first.artifact_type, first.data, first.urls) == (
        "application/x-new",
        "text/x",
        b"{}",
        ("https://a",),
    )
    assert (nested.media_type, nested.annotations) == (OCI_INDEX, (("a", "b"),))
    assert (strange.media_type, strange.digest, strange.size) == ("", "", -1)
    assert parse_index(document).annotations == (("top", "level"),)


def test_half_a_surrogate_pair_becomes_printable() -> None:
    document = Document.of(OCI_INDEX, b'{"manifests":[{"mediaType":"\\ud800x","annotations":{"k":"\\udfff"}}]}')
    found = parse_index(document).manifests[0]
    assert found.media_type.encode() == b"?x"
    assert found.annotations == (("k", "?"),)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"{}", "has no `config`"),
        (b'{"schemaVersion":1,"config":{}}', "schema 1"),
        (b'{"manifests":5}', "not a list"),
        (b'{"config":[],"layers":[]}', "has no `config`"),
        (b'{"manifests":[' + b",".join([b"{}"] * (MOST_ENTRIES + 1)) + b"]}", "10,001 entries"),
    ],
)
def test_bad_documents_are_told(content: bytes, reason: str) -> None:
    with pytest.raises(MalformedError, match=reason):
        parse(Document.of("", content))


def test_a_subject_is_seen() -> None:
    content = pretty({"config": entry(), "layers": [], "subject": entry(digest="sha256:b"), "artifactType": "text/x"})
    manifest = parse_manifest(Document.of(OCI_MANIFEST, content))
    assert (manifest.subject, manifest.artifact_type) == ("sha256:b", "text/x")


def test_an_index_carries_entries_on_unchanged() -> None:
    strange = entry(platform={"os": "windows", "architecture": "amd64", "os.version": "10.0.1", "os.features": ["x"]})
    source = index_of(strange, entry(platform={"os": "linux", "architecture": "arm64", "variant": "v8"}))
    entries = parse_index(source).manifests
    made = index_document(entries)
    assert [found.raw for found in parse_index(made).manifests] == [found.raw for found in entries]
    assert all(found.raw in source.content.decode() for found in entries)
    assert json.loads(made.content)["manifests"] == json.loads(source.content)["manifests"]
    assert (made.media_type, json.loads(made.content)["mediaType"]) == (OCI_INDEX, OCI_INDEX)


def test_platforms_keep_their_order_and_attestations_come_last() -> None:
    given_entries = index_of(
        entry(platform={"os": "linux", "architecture": "arm64"}),
        entry(platform={"os": "unknown", "architecture": "unknown"}, annotations=ATTESTATION),
        entry(platform={"os": "linux", "architecture": "amd64"}),
    )
    made = parse_index(index_document(parse_index(given_entries).manifests, (("a", "b"),)))
    assert [str(found.platform) for found in made.manifests] == ["linux/arm64", "linux/amd64", "unknown/unknown"]
    assert made.annotations == (("a", "b"),)


def test_entries_can_be_made_of_fields() -> None:
    made = descriptor_of(Document.of(OCI_MANIFEST, b"{}"), Platform("linux", "arm", "v7"))
    found = parse_index(index_document([made])).manifests[0]
    assert replace(found, raw="") == made


def test_an_entry_without_size_is_refused() -> None:
    with pytest.raises(ValueError, match="without size or digest"):
        index_document([Descriptor(OCI_MANIFEST, DIGEST, -1)])


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_give_a_value_or_the_error(content: bytes) -> None:
    for read in (parse, parse_index, parse_manifest):
        try:
            read(Document.of("", content))
        except MalformedError:
            continue
