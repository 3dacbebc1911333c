"""Records come back as they were written, and bad ones are told apart."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.building.entries import entries_of
from orchestrator.building.record import parse_record, read_record, read_records, record_fields, write_record
from orchestrator.core.errors import MabuildError, UsageError
from orchestrator.core.image import ATTESTATION, OCI_INDEX, OCI_MANIFEST, REFERENCE_DIGEST, REFERENCE_TYPE, Document
from orchestrator.core.plan import CellId, Mode
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from orchestrator.core.result import Record

IMAGE, OTHER = f"sha256:{'a' * 64}", f"sha256:{'b' * 64}"
PUSHED = {
    "schemaVersion": 2,
    "mediaType": OCI_INDEX,
    "manifests": [
        {
            "mediaType": OCI_MANIFEST,
            "digest": IMAGE,
            "size": 7,
            "platform": {"architecture": "arm64", "os": "linux", "variant": "v8"},
            "x-unknown": [1],
        },
        {
            "mediaType": OCI_MANIFEST,
            "digest": OTHER,
            "size": 8,
            "annotations": {REFERENCE_TYPE: ATTESTATION, REFERENCE_DIGEST: IMAGE},
            "platform": {"architecture": "unknown", "os": "unknown"},
            "artifactType": "application/vnd.docker.attestation.manifest.v1+json",
        },
    ],
}


def record() -> Record:
    document = Document.of(OCI_INDEX, json.dumps(PUSHED).encode())
    return Record(
        cell=CellId("api", LINUX_ARM64),
        key=OTHER,
        digest=document.digest,
        descriptors=entries_of(document, LINUX_ARM64),
        repositories=("registry.example/acme/api",),
        node="here",
        mode=Mode.EMULATED,
        seconds=1.5,
        attempts=2,
        created="2026-12-01T00:00:00Z",
    )


def test_a_record_comes_back_with_all_that_its_entries_said(tmp_path: Path) -> None:
    path = write_record(tmp_path / "deep", record())
    found = read_record(path)
    assert path.name == "api-linux-arm64.json"
    assert record_fields(found) == record_fields(record())
    assert [json.loads(entry.raw) for entry in found.descriptors] == PUSHED["manifests"]
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_the_shape_is_the_documented_one() -> None:
    assert list(record_fields(record())) == [
        "version", "cell", "service", "platform", "key", "digest", "descriptors", "repositories", "node", "mode",
        "seconds", "attempts", "created",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": 2}, "its version is 2"),
        ({"digest": "sha256:short"}, "is not a digest"),
        ({"mode": "magic"}, "magic"),
        ({"cell": "api"}, "is no cell"),
        ({"cell": "api@linux/amd64"}, "do not hold one image for linux/amd64"),
        ({"descriptors": []}, "do not hold one image"),
        ({"descriptors": 3}, "not a list"),
        ({"seconds": "long"}, "long"),
    ],
)
def test_what_is_wrong_with_a_record_is_told(tmp_path: Path, change: dict[str, object], said: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps({**record_fields(record()), **change}))
    with pytest.raises(UsageError, match=said) as caught:
        read_record(path)
    assert str(path) in caught.value.message


@pytest.mark.parametrize("field", ["cell", "key", "digest", "descriptors", "repositories", "node", "mode", "created"])
def test_a_record_that_lacks_a_field_is_told(tmp_path: Path, field: str) -> None:
    fields = record_fields(record())
    del fields[field]
    path = tmp_path / "r.json"
    path.write_text(json.dumps(fields))
    with pytest.raises(UsageError, match=f"it lacks '{field}'"):
        read_record(path)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda one: st.lists(one) | st.dictionaries(st.text(), one),
    )
)
def test_any_json_is_a_record_or_an_error(content: object) -> None:
    with pytest.raises((MabuildError, ValueError, KeyError, TypeError)):
        parse_record(content)


def test_all_records_below_a_folder_are_read(tmp_path: Path) -> None:
    write_record(tmp_path / "one", record())
    entry = replace(record().descriptors[0], platform=LINUX_AMD64, raw="")
    write_record(tmp_path / "two", replace(record(), cell=CellId("api", LINUX_AMD64), descriptors=(entry,)))
    assert [str(found.cell) for found in read_records(tmp_path)] == ["api@linux/arm64", "api@linux/amd64"]


def test_two_different_records_of_a_cell_are_an_error(tmp_path: Path) -> None:
    write_record(tmp_path / "one", record())
    write_record(tmp_path / "two", record())
    assert len(read_records(tmp_path)) == 1
    write_record(tmp_path / "two", replace(record(), digest=IMAGE))
    with pytest.raises(UsageError, match="two different records of api@linux/arm64"):
        read_records(tmp_path)


def test_a_folder_that_is_none_or_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder of records"):
        read_records(tmp_path / "none")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        write_record(tmp_path / "file", record())


def test_a_record_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(" " * (4 * 1024 * 1024 + 1))
    with pytest.raises(UsageError, match="larger than a record can be"):
        read_record(path)
