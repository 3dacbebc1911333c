"""Nodes asked for real: native and emulated platforms, nodes that are down or hang, several at once."""

from __future__ import annotations

import json
import platform
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lab.emulator import register, remove
from lab.parts import builder, remote_node
from orchestrator.buildx.builderfile import builder_names
from orchestrator.buildx.builders import own_builders, remove_builders
from orchestrator.buildx.emulator_install import install
from orchestrator.buildx.emulators import registrations, state
from orchestrator.buildx.nodes import Asking, find_nodes, survey
from orchestrator.core.fleet import NodeSpec, Tls
from orchestrator.core.plan import Mode, Node
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from tests.buildx.mutual_tls import make_certificates, tls_door
from tests.buildx.parts import lab_environment

pytestmark = pytest.mark.real
_OWN, _OTHER = (LINUX_AMD64, LINUX_ARM64) if platform.machine() == "x86_64" else (LINUX_ARM64, LINUX_AMD64)


def _entry(node: Node, wanted: Platform) -> tuple[Mode, str]:
    return next((entry.mode, entry.evidence) for entry in node.platforms if entry.platform == wanted)


@contextmanager
def _hanging(path: Path) -> Iterator[str]:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(8)
        yield f"unix://{path}"


def test_the_node_of_the_lab_runs_its_own_platform_and_emulates_the_other(tmp_path: Path) -> None:
    (node,) = find_nodes((), Asking(lab_environment(), tmp_path, (_OWN, _OTHER)))
    assert node.is_up
    assert node.platforms[0].platform == _OWN
    assert _entry(node, _OWN)[0] is Mode.NATIVE
    mode, evidence = _entry(node, _OTHER)
    assert mode is Mode.EMULATED
    assert "qemu-" in evidence
    slowdown = next(entry.slowdown for entry in node.platforms if entry.platform == _OTHER)
    assert 1.5 < slowdown < 50


def test_what_was_learned_is_not_asked_again(tmp_path: Path) -> None:
    environment = lab_environment()
    first = find_nodes((), Asking(environment, tmp_path, (_OWN, _OTHER)))
    written = json.loads((tmp_path / "probes.json").read_text())
    before = (tmp_path / "probes.json").stat().st_mtime_ns
    assert find_nodes((), Asking(environment, tmp_path, (_OWN, _OTHER))) == first
    assert (tmp_path / "probes.json").stat().st_mtime_ns == before
    find_nodes((), Asking(environment, tmp_path, (_OWN, _OTHER), refresh=True))
    assert json.loads((tmp_path / "probes.json").read_text()) != written


def test_without_probes_the_first_listed_platform_is_native(tmp_path: Path) -> None:
    (node,) = find_nodes((), Asking(lab_environment(), tmp_path, probe=False))
    assert _entry(node, _OWN) == (Mode.NATIVE, "BuildKit lists it first; not probed")
    assert _entry(node, _OTHER)[0] is Mode.EMULATED


def test_a_platform_without_emulator_is_impossible(tmp_path: Path) -> None:
    wanted = Platform("linux", "s390x")
    (node,) = find_nodes((), Asking(lab_environment(), tmp_path, (wanted,)))
    assert _entry(node, wanted) == (Mode.IMPOSSIBLE, "exec format error: no emulator is registered for it")


def test_a_hanging_node_and_a_dead_one_do_not_hold_up_the_others(tmp_path: Path) -> None:
    environment = lab_environment()
    with remote_node(environment) as good, _hanging(tmp_path / "hang.sock") as hanging:
        specs = (
            NodeSpec("good", "remote", good.endpoint),
            NodeSpec("hanging", "remote", hanging),
            NodeSpec("dead", "remote", f"unix://{tmp_path}/none.sock"),
        )
        own = {**environment, "BUILDX_CONFIG": str(tmp_path / "buildx")}
        start = time.monotonic()
        found = find_nodes(specs, Asking(own, tmp_path, (_OWN,), timeout=8.0))
        seconds = time.monotonic() - start
    assert [node.status for node in found] == [
        "running",
        "no answer within 8 s",
        f"unix://{tmp_path}/none.sock: no such file or directory",
    ]
    assert seconds < 30
    assert [entry.platform for entry in found[0].platforms][:1] == [_OWN]


def test_builders_are_made_once_reused_and_removed(tmp_path: Path) -> None:
    environment = {**lab_environment(), "BUILDX_CONFIG": str(tmp_path / "buildx")}
    with remote_node(environment) as one, remote_node(environment) as other:
        asking = Asking(environment, tmp_path, (_OWN,))
        (node,) = find_nodes((NodeSpec("n", "remote", one.endpoint),), asking)
        made = tmp_path / "buildx" / "instances" / "mabuild-n"
        before = made.stat().st_mtime_ns
        assert (node.builder, node.is_up) == ("mabuild-n", True)
        find_nodes((NodeSpec("n", "remote", one.endpoint),), asking)
        assert made.stat().st_mtime_ns == before
        find_nodes((NodeSpec("n", "remote", other.endpoint),), asking)
        assert json.loads(made.read_text())["Nodes"][0]["Endpoint"] == other.endpoint
    others = {"Name": "mabuild-mine", "Driver": "remote", "Nodes": [{"Name": "n0", "Endpoint": "unix:///x"}]}
    (tmp_path / "buildx" / "instances" / "mabuild-mine").write_text(json.dumps(others))
    assert own_builders(environment) == ("mabuild-n",)
    remove_builders(own_builders(environment), environment)
    assert builder_names(environment) == ("mabuild-mine",)


def test_each_node_of_a_builder_of_several_is_asked_alone(tmp_path: Path) -> None:
    environment = lab_environment()
    with (
        remote_node(environment) as one,
        remote_node(environment) as two,
        builder("pair", {"one": one.endpoint, "two": two.endpoint}, environment) as pair,
    ):
        found = survey((), Asking(pair.environment, tmp_path, (_OWN, _OTHER)))
        assert [(node.name, node.builder, node.is_up) for node in found.nodes] == [
            ("one", "mabuild-one", True),
            ("two", "mabuild-two", True),
        ]
        assert found.findings == ()


def test_a_manifest_can_limit_what_a_node_is_used_for(tmp_path: Path) -> None:
    environment = {**lab_environment(), "BUILDX_CONFIG": str(tmp_path / "buildx")}
    with remote_node(environment) as one:
        spec = NodeSpec("n", "remote", one.endpoint, platforms=(_OTHER,), parallel=3)
        (node,) = find_nodes((spec,), Asking(environment, tmp_path, (_OWN, _OTHER)))
    assert [entry.platform for entry in node.platforms] == [_OTHER]
    assert node.parallel == 3


@contextmanager
def _registered(flags: str) -> Iterator[None]:
    """An emulator for riscv64, which nothing else here needs, registered well or badly."""
    if flags:
        register("riscv64", flags)
    try:
        yield
    finally:
        remove("riscv64")


@pytest.mark.parametrize(
    ("flags", "mode", "evidence", "warning"),
    [
        ("POCF", Mode.EMULATED, "qemu-riscv64", ""),
        ("", Mode.IMPOSSIBLE, "exec format error", ""),
        ("POC", Mode.IMPOSSIBLE, "registered without the flag F", "lacks the flag F"),
        ("OCF", Mode.EMULATED, "qemu-riscv64", "lacks the flag P"),
    ],
)
def test_an_emulator_is_judged_by_whether_it_works_and_how_it_is_registered(
    tmp_path: Path, flags: str, mode: Mode, evidence: str, warning: str
) -> None:
    wanted = Platform("linux", "riscv64")
    with _registered(flags):
        found = survey((), Asking(lab_environment(), tmp_path, (_OWN, wanted)))
    (node,) = found.nodes
    assert _entry(node, wanted)[0] is mode
    assert evidence in _entry(node, wanted)[1]
    warnings = [finding.message for finding in found.findings if finding.platform == str(wanted)]
    assert len(warnings) == bool(warning)
    assert all(warning in message for message in warnings)


def test_what_is_remembered_of_a_node_does_not_outlive_its_emulators(tmp_path: Path) -> None:
    wanted = Platform("linux", "riscv64")
    asking = Asking(lab_environment(), tmp_path, (_OWN, wanted))
    with _registered("POCF"):
        assert find_nodes((), asking)[0].mode(wanted) is Mode.EMULATED
    assert find_nodes((), asking)[0].mode(wanted) is Mode.IMPOSSIBLE


def test_an_emulator_is_installed_once_and_mended_where_it_is_bad() -> None:
    wanted = Platform("linux", "riscv64")
    with _registered("OC"):
        mended = install(wanted, {})
        assert "with the flags POCF" in mended.done
        assert install(wanted, {}).done == "already registered"
        assert state("riscv64", registrations()).is_good


def test_a_node_over_tcp_with_mutual_tls_lets_in_whom_it_knows(tmp_path: Path) -> None:
    environment = {**lab_environment(), "BUILDX_CONFIG": str(tmp_path / "buildx")}
    certificates = make_certificates(tmp_path)
    with remote_node(environment) as node, tls_door(certificates, node.socket) as port:
        address = f"tcp://localhost:{port}"
        known = Tls(*(certificates.file(name) for name in ("ca.pem", "client.pem", "client.key")))
        stranger = Tls(*(certificates.file(name) for name in ("ca.pem", "stranger.pem", "stranger.key")))
        specs = (NodeSpec("known", "remote", address, tls=known), NodeSpec("stranger", "remote", address, tls=stranger))
        found = find_nodes(specs, Asking(environment, tmp_path, (_OWN,), timeout=5.0))
    assert found[0].status == "running"
    assert _entry(found[0], _OWN)[0] is Mode.NATIVE
    assert found[1].status.endswith("but no BuildKit answers; does it take this TLS login?")


def test_the_engine_itself_is_a_node_with_its_limits_known(tmp_path: Path) -> None:
    found = survey((), Asking(lab_environment(), tmp_path, (_OWN,), builder="default"))
    (node,) = found.nodes
    assert (node.driver, node.builder, node.status) == ("docker", "default", "running")
    assert found.findings == ()
