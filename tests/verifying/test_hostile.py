"""Images that are made to hurt: bounded time and memory, and a finding that says what is wrong."""

from __future__ import annotations

import io
import json
import resource
import time
import tracemalloc
import zlib

import pytest

from orchestrator.core.fleet import Level
from orchestrator.core.image import OCI_INDEX, OCI_MANIFEST
from orchestrator.core.verification import Verdict, Verification
from orchestrator.verifying.engine import verify
from orchestrator.verifying.expectation import Expectation, Limits, Means
from orchestrator.verifying.filesystem import FileMap
from orchestrator.verifying.node import Node, NodeKind
from orchestrator.verifying.scan import scan_layer
from tests.verifying.binaries import Elf, program
from tests.verifying.images import (
    AMD64,
    GZIP_LAYER,
    REFERENCE,
    Layer,
    Member,
    Shelf,
    archive,
    file,
    hard_link,
    image,
    index,
    layer,
    link,
    packed,
)
from tests.verifying.roots import bad, healthy, of, single

QUICK = 20.0


def timed(shelf: Shelf, level: Level = Level.FULL, limits: Limits | None = None) -> Verification:
    began = time.process_time()
    result = verify(shelf, REFERENCE, Expectation(level=level), Means(limits=limits or Limits()))
    assert time.process_time() - began < QUICK
    return result


def zeros(size: int) -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    return b"".join([packer.compress(bytes(1 << 20)) for _ in range(size >> 20)] + [packer.flush()])


def test_decompression_bomb() -> None:
    shelf = Shelf()
    bomb = Layer(zeros(3 << 30 >> 2), GZIP_LAYER, "sha256:" + "0" * 64)
    index(shelf, image(shelf, AMD64, [bomb]))
    tracemalloc.start()
    result = timed(shelf, limits=Limits(unpacked_free=64 << 20))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert any("decompression bomb" in finding.message for finding in result.findings) or "MV206" in bad(result)
    assert result.verdict is Verdict.FAIL
    assert peak < 40 << 20


def test_bomb_inside_an_archive() -> None:
    shelf = Shelf()
    head = archive([file("big", b"")])[:512]
    header = bytearray(head)
    header[124:136] = b"77777777777\0"
    header[148:156] = b" " * 8
    header[148:156] = f"{sum(header):06o}\0 ".encode()
    packer = zlib.compressobj(9, wbits=31)
    content = (
        packer.compress(bytes(header)) + b"".join(packer.compress(bytes(1 << 20)) for _ in range(500)) + packer.flush()
    )
    index(shelf, image(shelf, AMD64, [Layer(content, GZIP_LAYER, "sha256:" + "0" * 64)]))
    result = timed(shelf, limits=Limits(unpacked_free=64 << 20))
    assert "decompression bomb" in of(result, "MV207")[0].message


@pytest.mark.parametrize("path", ["../../etc/passwd", "a/../../b", "/../x"])
def test_path_traversal(path: str) -> None:
    result = single(Shelf(), layer(file("bin/app", program("amd64")), file(path, b"evil")))
    (finding,) = of(result, "MV207")
    assert "writes outside the image" in finding.message


def test_paths_inside_the_root_are_cleaned() -> None:
    result = single(Shelf(), layer(file("./bin//x/../app", program("amd64"))))
    assert bad(result) == []


def test_links_that_lead_outside_stay_inside() -> None:
    members = (link("bin", "../../../../usr/bin"), file("usr/bin/app", program("amd64")))
    assert bad(single(Shelf(), layer(*members))) == []


def test_link_loops() -> None:
    members = [link("a", "b"), link("b", "a"), link("c", "c/c"), hard_link("d", "d"), link("bin", "a")]
    result = single(Shelf(), layer(*members), Entrypoint=["/c/x"])
    assert {"MV404", "MV207"} <= set(bad(result))


def test_links_that_grow() -> None:
    members = [link(f"l{n}", f"l{n + 1}/l{n + 1}/l{n + 1}") for n in range(60)]
    result = single(Shelf(), layer(*members), Entrypoint=["/l0"])
    assert of(result, "MV404")


def test_ten_thousand_entries() -> None:
    shelf = Shelf()
    one = healthy(shelf, AMD64)
    index(shelf, *[{**one, "digest": f"sha256:{number:064x}"} for number in range(9_999)], one)
    result = timed(shelf)
    assert result.verdict is Verdict.FAIL
    assert "MV107" in bad(result)
    assert len(shelf.requests) < 3000
    assert len(result.findings) < 1100


def test_eight_megabytes_of_manifest() -> None:
    shelf = Shelf()
    big = shelf.add(
        json.dumps({"schemaVersion": 2, "annotations": {"x": "y" * (8 << 20)}, "manifests": []}).encode(), OCI_INDEX
    )
    shelf.tags["v1"] = big["digest"]
    assert timed(shelf).platforms == ()
    layers = [{"mediaType": GZIP_LAYER, "digest": f"sha256:{n:064x}", "size": 1} for n in range(60_000)]
    manifest = shelf.add_json({"schemaVersion": 2, "layers": layers, "config": {}}, OCI_MANIFEST)
    index(shelf, {**manifest, "platform": {"os": "linux", "architecture": "amd64"}})
    assert timed(shelf).verdict is Verdict.FAIL


def test_deeply_nested_json() -> None:
    shelf = Shelf()
    deep = shelf.add(b'{"a":' * 100_000, OCI_MANIFEST)
    index(shelf, {**deep, "platform": {"os": "linux", "architecture": "amd64"}})
    assert bad(timed(shelf)) == ["MV201"]


def test_a_list_that_contains_itself() -> None:
    shelf = Shelf()
    digest = "sha256:" + "7" * 64
    content = json.dumps(
        {"schemaVersion": 2, "manifests": [{"mediaType": OCI_INDEX, "digest": digest, "size": 9}]}
    ).encode()
    shelf.content[digest], shelf.types[digest], shelf.tags["v1"] = content, OCI_INDEX, digest
    result = timed(shelf)
    assert result.verdict is Verdict.FAIL
    assert len(shelf.requests) < 20


@pytest.mark.parametrize("cut", [0, 1, 9, 100, -9, -1])
def test_truncated_layers(cut: int) -> None:
    shelf = Shelf()
    index(shelf, healthy(shelf, AMD64))
    for digest, kind in list(shelf.types.items()):
        if kind == GZIP_LAYER:
            shelf.content[digest] = shelf.content[digest][:cut]
    result = timed(shelf)
    assert "MV206" in bad(result)


def test_more_files_than_are_kept() -> None:
    shelf = Shelf()
    index(shelf, image(shelf, AMD64, [layer(*[file(f"f{number}", b"") for number in range(300)])]))
    result = timed(shelf, limits=Limits(layer_entries=100))
    assert result.verdict is Verdict.FAIL
    assert "has too many files: more than 100" in of(result, "MV207")[0].message
    limits = Limits(image_entries=100)
    assert "beyond the number" in of(timed(shelf, limits=limits), "MV207")[0].message


def test_files_whose_names_fill_the_memory() -> None:
    tar = archive([file(f"{'d' * 200}/{'n' * 200}{number}", b"", 0o644) for number in range(3000)])
    made = packed(tar)
    scan = scan_layer(io.BytesIO(made.content).read, "sha256:x", len(made.content), Limits(layer_weight=100_000))
    assert not scan.is_whole
    assert len(scan.entries) < 300


def test_binaries_that_need_thousands_of_libraries() -> None:
    needed = tuple(f"lib{number}{'x' * 200}.so" for number in range(3000))
    content = Elf("amd64", needed=needed, interpreter="/lib/ld-linux.so").build()
    shelf = Shelf()
    index(shelf, image(shelf, AMD64, [layer(file("lib/ld-linux.so", program("amd64")), file("bin/app", content))]))
    assert of(timed(shelf), "MV407")


def test_paths_that_no_file_system_takes() -> None:
    deep = file("/".join("d" * 300), b"")
    result = single(Shelf(), layer(file("bin/app", program("amd64")), deep))
    assert "no file system takes" in of(result, "MV207")[0].message


def test_many_whiteouts_and_replacements_take_no_long_time() -> None:
    files = FileMap()
    files.put_layer(0, [(f"d{number % 1000}/f{number}", Node(NodeKind.FILE)) for number in range(60_000)])
    began = time.process_time()
    files.put_layer(1, [(f"d{number}", Node(NodeKind.WHITEOUT)) for number in range(900)])
    files.put_layer(2, [(f"d{900 + number}", Node(NodeKind.FILE)) for number in range(100)])
    again = [
        (path, node)
        for number in range(2000)
        for path, node in ((f"x/{number}", Node(NodeKind.FILE)), ("x", Node(NodeKind.FILE)))
    ]
    files.put_layer(3, again)
    assert time.process_time() - began < QUICK / 2


def test_names_that_would_command_a_terminal_are_made_harmless() -> None:
    result = single(Shelf(), layer(file("bin/app", program("amd64")), file("opt/\x1b[2J\x07evil", program("arm64"))))
    (finding,) = of(result, "MV402")
    assert "\x1b" not in finding.message + finding.file + finding.cause
    assert "evil" in finding.file


def test_memory_of_a_large_layer_stays_small() -> None:
    big: list[Member] = [file(f"data/{number}", bytes(4 << 20), 0o644) for number in range(20)]
    made = packed(archive([*big, file("bin/app", program("amd64"))]))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    scan = scan_layer(io.BytesIO(made.content).read, "sha256:x", len(made.content), Limits())
    assert scan.is_whole
    assert len(scan.entries) == 21
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000
