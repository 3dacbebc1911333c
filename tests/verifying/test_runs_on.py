"""Which entry each node takes, by its client's rules (the pairs are those of containerd's own comparison tests)."""

from __future__ import annotations

import pytest

from orchestrator.core.fleet import Level
from orchestrator.verifying.engine import examine
from orchestrator.verifying.expectation import Expectation
from orchestrator.verifying.runs_on import Choice, runs_on
from tests.verifying.images import AMD64, ARM64, REFERENCE, Json, Shelf, file, image, index, layer, tagged


def choices(*platforms: str, twin: str = "") -> dict[tuple[str, str], Choice]:
    shelf = Shelf()
    entries = [image(shelf, platform, [layer(file("x", platform.encode()))]) for platform in platforms]
    if twin:
        annotations: Json = {"annotations": {"io.github.containers.compression.zstd": "true"}}
        entries.append(image(shelf, twin, [layer(file("x", b"zstd"))], entry=annotations))
    index(shelf, *entries)
    return chosen(shelf)


def chosen(shelf: Shelf) -> dict[tuple[str, str], Choice]:
    evidence = examine(shelf, REFERENCE, Expectation(level=Level.META)).evidence
    assert evidence is not None
    return {(choice.client, choice.node): choice for choice in runs_on(evidence)}


@pytest.mark.parametrize(
    ("listed", "client", "node", "taken"),
    [
        ((AMD64, ARM64), "containerd", "linux/amd64", AMD64),
        ((AMD64, ARM64), "docker", "linux/arm64", ARM64),
        ((AMD64, ARM64), "podman", "linux/arm/v7", ""),
        (("linux/amd64/v2", "linux/amd64/v3"), "containerd", "linux/amd64/v3", ""),
        (("linux/amd64/v2", "linux/amd64/v3"), "docker", "linux/amd64/v3", "linux/amd64/v3"),
        (("linux/amd64/v2", "linux/amd64/v3"), "docker", "linux/amd64", ""),
        ((AMD64, "linux/amd64/v3"), "docker", "linux/amd64/v4", "linux/amd64/v3"),
        ((AMD64, "linux/amd64/v3"), "podman", "linux/amd64/v3", AMD64),
        (("linux/386",), "containerd", "linux/amd64", "linux/386"),
        (("linux/386",), "podman", "linux/amd64", ""),
        (("linux/arm/v7", "linux/arm/v6"), "containerd", "linux/arm64", "linux/arm/v7"),
        (("linux/arm/v6", "linux/arm/v7"), "containerd", "linux/arm/v7", "linux/arm/v7"),
        (("linux/arm/v6", "linux/arm/v7"), "containerd", "linux/arm/v6", "linux/arm/v6"),
        (("linux/arm/v6",), "podman", "linux/arm/v7", "linux/arm/v6"),
        (("linux/arm/v7",), "podman", "linux/arm64", ""),
        (("linux/arm64/v8",), "podman", "linux/arm64", "linux/arm64/v8"),
        ((ARM64, "linux/arm64/v9"), "containerd", "linux/arm64/v9", "linux/arm64/v9"),
        ((ARM64,), "containerd", "linux/arm64/v9", ARM64),
        (("linux/arm64/v9",), "containerd", "linux/arm64", ""),
    ],
)
def test_choices(listed: tuple[str, ...], client: str, node: str, taken: str) -> None:
    assert choices(*listed)[client, node].platform == taken


def test_every_usual_node_of_every_client_has_a_row() -> None:
    rows = choices(AMD64, ARM64)
    assert len(rows) == 3 * 8
    assert {client for client, _ in rows} == {"containerd", "docker", "podman"}


def test_names_that_only_containerd_repairs() -> None:
    shelf = Shelf()
    named: Json = {"platform": {"os": "linux", "architecture": "aarch64"}}
    index(shelf, image(shelf, ARM64, [layer(file("x"))], entry=named))
    rows = chosen(shelf)
    assert rows["containerd", "linux/arm64"].platform == "linux/aarch64"
    assert rows["podman", "linux/arm64"].platform == ""


def test_podman_prefers_zstd_twins() -> None:
    rows = choices(AMD64, twin=AMD64)
    assert rows["podman", "linux/amd64"].digest != rows["containerd", "linux/amd64"].digest


def test_entries_without_platform_come_last() -> None:
    shelf = Shelf()
    bare = image(shelf, AMD64, [layer(file("x"))], entry={"platform": None})
    index(shelf, bare)
    rows = chosen(shelf)
    assert rows["containerd", "linux/amd64"].remark == "an entry without platform, taken as a last resort"
    assert rows["containerd", "linux/arm64"].digest == ""
    assert rows["podman", "linux/arm64"].digest == bare["digest"]


def test_single_images_are_taken_unchecked() -> None:
    shelf = Shelf()
    tagged(shelf, image(shelf, AMD64, [layer(file("x"))]))
    rows = chosen(shelf)
    assert rows["containerd", "linux/amd64"].remark == ""
    assert "will not start" in rows["containerd", "linux/arm64"].remark


def test_remark_on_32_bit() -> None:
    assert "AArch32" in choices("linux/arm/v7")["containerd", "linux/arm64"].remark
