"""What is remembered on disk: layers by digest, and what a repository was seen to hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.core.fleet import Level
from orchestrator.core.image import Descriptor
from orchestrator.core.verification import Verdict, Verification
from orchestrator.verifying.cache import VerdictCache
from orchestrator.verifying.engine import verify
from orchestrator.verifying.expectation import Expectation, Means
from orchestrator.verifying.node import Node, NodeKind, Packages, Script, Text
from orchestrator.verifying.scan import LayerScan
from orchestrator.verifying.scan_text import from_data, to_data
from tests.verifying.images import AMD64, ARM64, REFERENCE, SLSA02, Shelf, attestation, file, index, layer
from tests.verifying.roots import bad, healthy

FULL = Expectation(level=Level.FULL)


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def shelf() -> Shelf:
    made = Shelf()
    entries = []
    for platform in (AMD64, ARM64):
        database = layer(file("var/lib/dpkg/status", f"Architecture: {platform[6:]}\n".encode(), 0o644))
        entry = healthy(made, platform, database)
        entries += [entry, attestation(made, entry, {SLSA02: {}})]
    index(made, *entries)
    return made


def look(shelf: Shelf, folder: Path, clock: Clock, expectation: Expectation = FULL) -> Verification:
    shelf.requests.clear()
    return verify(shelf, REFERENCE, expectation, Means(cache=folder, now=clock))


def test_the_second_time_costs_one_request_and_finds_the_same(shelf: Shelf, tmp_path: Path) -> None:
    clock = Clock()
    first = look(shelf, tmp_path, clock)
    assert len(shelf.requests) > 10
    second = look(shelf, tmp_path, clock)
    assert len(shelf.requests) == second.requests == 1
    assert (second.findings, second.verdict, second.platforms) == (first.findings, first.verdict, first.platforms)
    assert any("were not asked for again" in sentence for sentence in second.proved)
    assert not any("at the end" in sentence for sentence in second.proved)


def test_after_an_hour_everything_is_asked_for_again_but_no_layer_fetched(shelf: Shelf, tmp_path: Path) -> None:
    clock = Clock()
    look(shelf, tmp_path, clock)
    clock.time += 3601
    result = look(shelf, tmp_path, clock)
    assert result.verdict is Verdict.PASS
    assert len([request for request in shelf.requests if request.startswith("HEAD blob")]) == 6
    assert len([request for request in shelf.requests if request.startswith("GET manifest")]) == 5


def test_a_layer_that_is_gone_is_missed_although_its_verdict_is_known(shelf: Shelf, tmp_path: Path) -> None:
    clock = Clock()
    look(shelf, tmp_path, clock)
    clock.time += 3601
    lost = layer(file("var/lib/dpkg/status", b"Architecture: arm64\n", 0o644))
    shelf.remove(shelf.add(lost.content)["digest"])
    assert "MV205" in bad(look(shelf, tmp_path, clock))


def test_level_exist_believes_nothing(shelf: Shelf, tmp_path: Path) -> None:
    clock = Clock()
    look(shelf, tmp_path, clock)
    look(shelf, tmp_path, clock, Expectation(level=Level.EXIST))
    assert len([request for request in shelf.requests if request.startswith("HEAD blob")]) == 6


@pytest.mark.parametrize("damage", [b"", b"garbage", b"\x00" * 5000])
def test_damaged_files_are_as_good_as_none(shelf: Shelf, tmp_path: Path, damage: bytes) -> None:
    clock = Clock()
    look(shelf, tmp_path, clock)
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(kept) == 7
    for path in kept:
        content = path.read_bytes()
        path.write_bytes(damage or content[: len(content) // 2])
    assert look(shelf, tmp_path, clock).verdict is Verdict.PASS
    assert len(shelf.requests) > 10
    look(shelf, tmp_path, clock)
    assert len(shelf.requests) == 1, "they were written anew"


def test_a_folder_that_cannot_be_written_is_no_error(shelf: Shelf, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert look(shelf, blocked, Clock()).verdict is Verdict.PASS


def test_only_whole_layers_with_the_right_bytes_are_kept(tmp_path: Path) -> None:
    cache = VerdictCache(tmp_path)
    digest = "sha256:" + "a" * 64
    layer_descriptor = Descriptor("", digest, 5)
    for scan in (
        LayerScan(digest, "b" * 64, packed_size=5),
        LayerScan(digest, "a" * 64, packed_size=5, is_whole=False),
        LayerScan(digest, "a" * 64, packed_size=4),
    ):
        cache.put(layer_descriptor, scan)
        assert cache.get(layer_descriptor) is None
    good = LayerScan(digest, "a" * 64, packed_size=5)
    cache.put(layer_descriptor, good)
    assert cache.get(layer_descriptor) == good


def test_every_kind_of_detail_survives() -> None:
    details = [None, Script(("/bin/sh", "-e"), ("exec x",)), Packages((("amd64", 3),)), Text(("/lib",))]
    entries = tuple((f"p{n}", Node(NodeKind.FILE, 0o755, n, "", detail)) for n, detail in enumerate(details))
    scan = LayerScan("sha256:x", "h", "d", 1, 2, entries, "dam", ("prob",), 3)
    assert from_data(to_data(scan)) == scan


@pytest.mark.parametrize(
    "data", [[], [1, 2], ["x"] * 9, [None] * 9, [*["x"] * 3, 1, 1, "", [], 1, [["p", "z", 1, 1, "", None]]]]
)
def test_odd_data_is_refused(data: list[object]) -> None:
    with pytest.raises((ValueError, TypeError)):
        from_data(data)
