"""Which nodes there are, and through which builder each is reached."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orchestrator.buildx.builders import create_arguments, last_line
from orchestrator.buildx.drivers import DRIVERS
from orchestrator.buildx.sources import builder_name, node_sources
from orchestrator.core.errors import UsageError
from orchestrator.core.fleet import NodeSpec, Place, Tls
from orchestrator.core.platform import LINUX_ARM64

_HERE = Place("mabuild.yaml", 3, 5)


def _created(spec: NodeSpec) -> tuple[str, ...]:
    (source,) = node_sources((spec,), {"HOME": "/nowhere"})
    assert source.makes
    return create_arguments(source)


def test_a_remote_node_over_mutual_tls() -> None:
    spec = NodeSpec("arm", "remote", "tcp://10.0.0.7:1234", tls=Tls("ca.pem", "c.pem", "k.pem"))
    assert _created(spec) == (
        *("create", "--name", "mabuild-arm", "--node", "mabuild-arm", "--driver", "remote"),
        *("--driver-opt", "cacert=ca.pem", "--driver-opt", "cert=c.pem", "--driver-opt", "key=k.pem"),
        "tcp://10.0.0.7:1234",
    )


def test_a_container_over_ssh() -> None:
    spec = NodeSpec("mac", "docker-container", "ssh://me@mac", driver_options=(("network", "host"),))
    assert _created(spec)[-3:] == ("--driver-opt", "network=host", "ssh://me@mac")


def test_options_of_kubernetes_keep_their_commas() -> None:
    options = (("namespace", "build"), ("replicas", "4"), ("nodeselector", "kubernetes.io/arch=arm64,pool=x"))
    assert _created(NodeSpec("farm", "kubernetes", driver_options=options))[5:] == (
        *("--driver", "kubernetes", "--driver-opt", "namespace=build", "--driver-opt", "replicas=4"),
        *("--driver-opt", '"nodeselector=kubernetes.io/arch=arm64,pool=x"'),
    )


def test_the_engine_needs_no_builder_of_ours() -> None:
    (source,) = node_sources((NodeSpec("here", "docker"),), {"HOME": "/nowhere"})
    assert (source.builder, source.makes) == ("default", False)
    (source,) = node_sources((NodeSpec("here", "docker", "colima"),), {"HOME": "/nowhere"})
    assert source.builder == "colima"


def test_an_address_for_the_docker_driver_is_refused_with_the_way_out() -> None:
    with pytest.raises(UsageError) as caught:
        node_sources((NodeSpec("far", "docker", "ssh://me@far", place=_HERE),), {"HOME": "/nowhere"})
    assert caught.value.message.startswith("mabuild.yaml:3:5: node far")
    assert "docker context create far --docker host=ssh://me@far" in caught.value.hint


def test_an_unknown_driver_is_refused_with_those_that_exist() -> None:
    with pytest.raises(UsageError) as caught:
        node_sources((NodeSpec("x", "podman", place=_HERE),), {"HOME": "/nowhere"})
    assert caught.value.hint == "there are: docker, docker-container, remote, kubernetes"


def test_each_node_of_a_builder_is_reached_alone_under_its_own_name(tmp_path: Path) -> None:
    folder = tmp_path / "instances"
    folder.mkdir()
    nodes = [
        {"Name": "two0", "Endpoint": "unix:///a.sock", "DriverOpts": {"network": "host"}},
        {"Name": "two1", "Endpoint": "unix:///b.sock", "Platforms": [{"os": "linux", "architecture": "arm64"}]},
    ]
    (folder / "two").write_text(json.dumps({"Name": "two", "Driver": "docker-container", "Nodes": nodes}))
    first, second = node_sources((), {"BUILDX_CONFIG": str(tmp_path), "HOME": str(tmp_path)}, "two")
    assert (first.builder, first.node_name, second.builder) == ("mabuild-two0", "two0", "mabuild-two1")
    assert second.declared == (LINUX_ARM64,)
    assert second.spec.platforms == ()
    assert (first.makes, first.shared) == (False, "two")


@pytest.mark.parametrize(
    ("node", "name"), [("arm", "mabuild-arm"), ("My Mac/1", "mabuild-my-mac-1"), ("mabuild-lab0", "mabuild-lab0")]
)
def test_names_of_builders_are_such_as_buildx_takes(node: str, name: str) -> None:
    assert builder_name(node) == name


def test_every_driver_says_what_it_is() -> None:
    assert list(DRIVERS) == ["docker", "docker-container", "remote", "kubernetes"]
    assert not DRIVERS["docker"].pushes_by_digest
    assert all(name == driver.name for name, driver in DRIVERS.items())


def test_the_last_line_is_what_went_wrong() -> None:
    assert last_line("warning\nERROR: no builder found\n\n") == "no builder found"
    assert last_line("Name: default\nError:  no engine\n") == "no engine"
    assert last_line("") == "it said nothing"
    assert last_line("ERROR: x has exited, on the host: stderr=ssh: no such host\n") == "ssh: no such host"
    assert len(last_line("x" * 5000)) == 300
