"""Writing layouts: complete or not at all."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from orchestrator.core.errors import MabuildError, UsageError
from orchestrator.core.image import OCI_INDEX, Document, sha256
from orchestrator.core.platform import LINUX_AMD64
from orchestrator.core.reference import Reference
from orchestrator.registry.errors import DigestError, NotFoundError
from orchestrator.registry.layout import DirectoryContent, LayoutStore
from orchestrator.registry.layout_writer import write_layout
from orchestrator.registry.media import index_document, parse_index
from tests.faults.registry_server import RegistryServer
from tests.registry.images import at, fill, make_client, make_image
from tests.registry.layouts import layout_files, write_files

IMAGE = make_image()
PLACE = Reference("oci-layout", "image")
NAME = Reference.parse("ghcr.io/acme/api:1")


def files_below(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def source(directory: Path) -> LayoutStore:
    return LayoutStore(DirectoryContent(write_files(directory, layout_files(IMAGE))))


def test_parts_of_several_layouts_become_one(tmp_path: Path) -> None:
    parts, entries = [], []
    for number in (0, 1):
        store = source(tmp_path / f"cell{number}")
        entry = parse_index(store.choose("")).manifests[number]
        entries.append(entry)
        parts.append((store, PLACE.with_digest(entry.digest)))
    document = index_document(entries)
    write_layout(tmp_path / "dist/api", document, parts, names=(NAME,))
    written = files_below(tmp_path / "dist/api")
    contents = [document.content, *IMAGE.manifests, *IMAGE.blobs.values()]
    assert written.keys() == {"oci-layout", "index.json", *(f"blobs/{sha256(c).replace(':', '/')}" for c in contents)}
    assert list((tmp_path / "dist").iterdir()) == [tmp_path / "dist/api"]
    for name in ("", "1", "ghcr.io/acme/api:1"):
        assert LayoutStore(DirectoryContent(tmp_path / "dist/api")).choose(name) == document


def test_an_image_of_a_registry(tmp_path: Path) -> None:
    with RegistryServer() as server:
        fill(server, IMAGE)
        client, reference = make_client(), at(server.address)
        write_layout(tmp_path / "api", client.manifest(reference), [(client, reference)], names=(reference,))
        assert server.count("GET", "/blobs/") == len(IMAGE.blobs)
    assert files_below(tmp_path / "api").keys() == layout_files(IMAGE).keys()


def test_an_older_layout_gives_way(tmp_path: Path) -> None:
    other = make_image(b"other")
    write_files(tmp_path / "api", layout_files(other))
    write_layout(tmp_path / "api", Document.of(OCI_INDEX, IMAGE.index), [(source(tmp_path / "s"), PLACE)])
    assert sha256(other.layer).partition(":")[2] not in str(list((tmp_path / "api").rglob("*")))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["api", "s"]


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "api").mkdir()
    write_layout(tmp_path / "api", Document.of(OCI_INDEX, IMAGE.index), [(source(tmp_path / "s"), PLACE)])
    assert (tmp_path / "api/index.json").is_file()


@pytest.mark.parametrize("is_file", [True, False])
def test_something_else_is_not_touched(tmp_path: Path, is_file: bool) -> None:
    if is_file:
        (tmp_path / "api").write_text("precious")
    else:
        write_files(tmp_path / "api", {"notes.txt": b"precious"})
    with pytest.raises(UsageError, match="is no OCI layout"):
        write_layout(tmp_path / "api", Document.of(OCI_INDEX, IMAGE.index), [(source(tmp_path / "s"), PLACE)])
    assert b"precious" in (files_below(tmp_path).values())


@pytest.mark.parametrize(("change", "error"), [(b"changed", DigestError), (None, NotFoundError)])
def test_nothing_changes_on_an_error(tmp_path: Path, change: bytes | None, error: type[MabuildError]) -> None:
    write_files(tmp_path / "api", layout_files(make_image(b"old")))
    before = files_below(tmp_path / "api")
    store = source(tmp_path / "s")
    layer = tmp_path / "s/blobs" / sha256(IMAGE.layer).replace(":", "/")
    layer.unlink() if change is None else layer.write_bytes(change)
    with pytest.raises(error):
        write_layout(tmp_path / "api", Document.of(OCI_INDEX, IMAGE.index), [(store, PLACE)])
    assert files_below(tmp_path / "api") == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["api", "s"]


def test_a_list_that_names_itself_ends(tmp_path: Path) -> None:
    class Loop(LayoutStore):
        def manifest(self, reference: Reference) -> Document:
            entry = json.dumps({"digest": f"sha256:{'0' * 64}", "size": 1})
            return Document.of("", f'{{"manifests":[{entry}]}}'.encode())

    (tmp_path / "s").mkdir()
    store = Loop(DirectoryContent(write_files(tmp_path / "s", layout_files(IMAGE))))
    with pytest.raises(MabuildError, match="more than 4 deep"):
        write_layout(tmp_path / "api", Document.of("", b"{}"), [(store, PLACE)])


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MabuildError):
        write_layout(tmp_path / "file/api", Document.of(OCI_INDEX, IMAGE.index), [(source(tmp_path / "s"), PLACE)])


@pytest.mark.real
def test_skopeo_copies_it_to_a_registry_unchanged(tmp_path: Path) -> None:
    address = os.environ["MABUILD_LAB_REGISTRY"]
    document = Document.of(OCI_INDEX, IMAGE.index)
    write_layout(tmp_path / "api", document, [(source(tmp_path / "s"), PLACE)], names=(NAME,))
    target = f"docker://{address}/tests/written:1"
    options = ["--all", "--quiet", "--preserve-digests", "--dest-tls-verify=false"]
    subprocess.run(["skopeo", "copy", *options, f"oci:{tmp_path / 'api'}:1", target], check=True, timeout=60)
    found = make_client().manifest(Reference.parse(f"{address}/tests/written:1"))
    assert found.content == IMAGE.index
    assert parse_index(found).manifests[0].platform == LINUX_AMD64
