"""Which packages a machine lacks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lab import packages
from lab.packages import emulator_package, engine_packages, other_packages, version_number

Versions = Callable[..., tuple[int, int]]


def versions(engine: tuple[int, int], buildx: tuple[int, int]) -> Versions:
    return lambda *argv: engine if argv[0] == "dockerd" else buildx


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("Docker version 26.1.5+dfsg1, build a72d7cd", (26, 1)),
        ("github.com/docker/buildx 0.29.1+ds1 0.29.1+ds1-4", (0, 29)),
        ("github.com/docker/buildx v0.36.1 abc", (0, 36)),
        ("nothing", (0, 0)),
    ],
)
def test_versions_in_the_programs_own_words(text: str, version: tuple[int, int]) -> None:
    assert version_number(text) == version


@pytest.mark.parametrize(
    ("engine", "buildx", "there", "wanted"),
    [
        ((26, 1), (0, 29), True, []),
        ((20, 10), (0, 29), True, ["docker.io", "docker-cli", "containerd"]),
        ((26, 1), (0, 13), True, ["docker-buildx"]),
        (
            (0, 0),
            (0, 0),
            False,
            ["runc", "iptables", "iproute2", "docker.io", "docker-cli", "containerd", "docker-buildx"],
        ),
    ],
)
def test_what_an_engine_lacks(
    engine: tuple[int, int], buildx: tuple[int, int], there: bool, wanted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "said_version", versions(engine, buildx))
    assert [package.name for package in engine_packages(lambda _: there)] == wanted


def test_only_what_is_missing() -> None:
    assert [package.name for package in other_packages(lambda name: name == "skopeo")] == ["docker-registry", "crane"]


def test_the_emulators_package_has_another_name_on_debian_12() -> None:
    assert emulator_package("bookworm").name == "qemu-user-static"
    assert emulator_package("trixie").name == "qemu-user"
