"""What the doctor sees: on real parts, and in surroundings that are made to be ill."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from orchestrator.buildx.doctor import (
    Check,
    Circumstances,
    buildx_version,
    check_buildx,
    check_clock,
    check_docker,
    check_emulators,
    check_image_store,
    check_logins,
    check_nodes,
    check_platforms,
    examine,
)
from orchestrator.buildx.nodes import Asking, find_nodes
from orchestrator.core.plan import Mode, Node, NodePlatform
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from tests.buildx.parts import lab_environment

_BOTH = (LINUX_AMD64, LINUX_ARM64)
_NOW = datetime(2026, 12, 1, 12, 0, 0, tzinfo=UTC)
_NODE = Node("here", "default", "docker", "default", platforms=(NodePlatform(LINUX_AMD64, Mode.NATIVE, ""),))


def _where(folder: Path, *nodes: Node) -> Circumstances:
    return Circumstances({"HOME": str(folder)}, nodes, _BOTH, lambda: _NOW, folder)


def _program(folder: Path, text: str) -> dict[str, str]:
    """Surroundings in which `docker` is a script that answers with some text."""
    program = folder / "docker"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(folder)}


@pytest.mark.real
def test_the_lab_can_build_both_platforms(tmp_path: Path) -> None:
    environment = lab_environment()
    nodes = find_nodes((), Asking(environment, tmp_path, _BOTH))
    checks = examine(Circumstances(environment, nodes, _BOTH, lambda: datetime.now(UTC)))
    needed = [check for check in checks if check.needed]
    assert [check.name for check in needed if not check.ok] == []
    assert {"docker", "buildx", "image store", "clock", "linux/amd64", "linux/arm64", "logins"} <= {
        check.name for check in needed
    }


@pytest.mark.real
def test_an_engine_that_does_not_run_is_told_with_its_address(tmp_path: Path) -> None:
    environment = lab_environment(DOCKER_HOST=f"unix://{tmp_path}/none.sock")
    checks = {check.name: check for check in examine(Circumstances(environment, (), _BOTH, lambda: _NOW))}
    assert not checks["docker"].ok
    assert f"unix://{tmp_path}/none.sock" in checks["docker"].detail
    assert "DOCKER_HOST" in checks["docker"].mend
    assert not {"engine", "linux/arm64", "emulator arm64"} & set(checks), "what follows from it is not told as well"


def test_without_docker_nothing_else_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    checks = examine(Circumstances({"PATH": str(tmp_path), "HOME": str(tmp_path)}, (), _BOTH, lambda: _NOW))
    assert [check.name for check in checks] == ["docker", "logins"]
    assert not checks[0].ok
    assert "install" in checks[0].mend


def test_a_socket_that_may_not_be_used_is_mended_by_the_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = _program(tmp_path, "echo 'permission denied while trying to connect' >&2; exit 1")
    monkeypatch.setenv("PATH", environment["PATH"])
    found = check_docker(environment)
    assert (found.ok, found.mend) == (False, "sudo usermod -aG docker $USER, then log in again")


@pytest.mark.parametrize(
    ("text", "ok", "detail"),
    [
        ("github.com/docker/buildx v0.36.1 abc", True, "0.36.1"),
        ("github.com/docker/buildx 0.29.1+ds1 0.29.1+ds1-4", True, "0.29.1"),
        ("github.com/docker/buildx v0.11.2 abc", False, "0.11.2 is too old, mabuild needs 0.13"),
        ("docker: 'buildx' is not a docker command", False, "the plug-in is missing"),
    ],
)
def test_buildx_has_a_floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, ok: bool, detail: str) -> None:
    environment = _program(tmp_path, f'echo "{text}"')
    monkeypatch.setenv("PATH", environment["PATH"])
    found = check_buildx(environment)
    assert (found.ok, found.detail) == (ok, detail)


def test_versions_are_compared_as_numbers() -> None:
    assert buildx_version(" v0.9.1") < buildx_version(" v0.13.0") < buildx_version(" 1.0.0")
    assert buildx_version("") == ()


def test_the_image_store_is_needed_only_by_the_docker_driver() -> None:
    plain = {"DriverStatus": [["Backing Filesystem", "extfs"]]}
    containerd = {"DriverStatus": [["driver-type", "io.containerd.snapshotter.v1"]]}
    assert check_image_store(containerd, ()).ok
    assert not check_image_store(plain, ()).needed
    found = check_image_store(plain, (_NODE,))
    assert (found.ok, found.needed) == (False, True)
    assert "containerd-snapshotter" in found.mend


@pytest.mark.parametrize(("seconds", "ok"), [(0, True), (-20, True), (90, False), (-90, False)])
def test_clocks_may_differ_by_half_a_minute(seconds: int, ok: bool) -> None:
    there = (_NOW + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.123456789Z")
    (found,) = check_clock({"SystemTime": there}, _NOW)
    assert found.ok is ok
    assert list(check_clock({"SystemTime": "noon"}, _NOW)) == []


def test_a_node_that_is_down_and_what_a_driver_cannot_do_are_told() -> None:
    down = Node("arm", "mabuild-arm", "remote", "tcp://10.0.0.7:1234", status="connection refused")
    found = list(check_nodes((_NODE, down)))
    assert [(check.name, check.ok, check.needed) for check in found] == [
        ("node here", True, True),
        ("node here: docker", False, False),
        ("node arm", False, True),
    ]
    assert found[2].detail == "remote tcp://10.0.0.7:1234: connection refused"


def test_a_platform_is_fine_where_any_node_can_build_it(tmp_path: Path) -> None:
    emulating = Node("far", "b", "remote", platforms=(NodePlatform(LINUX_ARM64, Mode.EMULATED, ""),))
    found = list(check_platforms(_where(tmp_path, _NODE, emulating)))
    assert [(check.name, check.ok, check.detail) for check in found] == [
        ("linux/amd64", True, "native on here"),
        ("linux/arm64", True, "emulated on far"),
    ]
    assert not list(check_platforms(_where(tmp_path, _NODE)))[1].ok


def test_emulators_are_looked_at_for_what_no_node_runs_natively(tmp_path: Path) -> None:
    (found,) = check_emulators(_where(tmp_path, _NODE))
    assert found == Check(
        "emulator arm64", False, "no emulator is registered", "mabuild nodes --install linux/arm64", needed=False
    )


def test_logins_are_named_and_never_shown(tmp_path: Path) -> None:
    folder = tmp_path / ".docker"
    folder.mkdir()
    settings = {
        "auths": {"ghcr.io": {"auth": "c2VjcmV0OnNlY3JldA=="}},
        "credHelpers": {"gcr.io": "gcloud"},
        "credsStore": "desktop",
    }
    (folder / "config.json").write_text(json.dumps(settings))
    environment = {"HOME": str(tmp_path), "PATH": str(tmp_path), "DOCKER_AUTH_CONFIG": '{"auths": {}}'}
    (tmp_path / "docker-credential-gcloud").write_text("")
    (tmp_path / "docker-credential-gcloud").chmod(0o755)
    found = list(check_logins(environment))
    assert found[0].detail == "gcr.io, ghcr.io, those of DOCKER_AUTH_CONFIG"
    assert [check.name for check in found[1:]] == ["credential helper desktop"]
    assert "c2VjcmV0" not in repr(found)


@pytest.mark.parametrize("text", ["", "[", "[1]", '{"auths": 3, "credHelpers": []}'])
def test_a_broken_config_is_no_traceback(tmp_path: Path, text: str) -> None:
    folder = tmp_path / ".docker"
    folder.mkdir()
    (folder / "config.json").write_text(text)
    assert len(list(check_logins({"HOME": str(tmp_path)}))) == 1


def test_the_ci_is_named_with_its_runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    environment = {"GITHUB_ACTIONS": "true", "RUNNER_ARCH": "ARM64", "PATH": str(tmp_path), "HOME": str(tmp_path)}
    checks = examine(Circumstances(environment, (), (), lambda: _NOW))
    assert checks[-1] == Check("CI", True, "GitHub Actions, runner ARM64")
