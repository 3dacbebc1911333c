"""The text of `docker buildx inspect`, recorded from buildx 0.29.1."""

from __future__ import annotations

from orchestrator.buildx.inspection import read_inspection
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform

_RUNNING = """\
Name:          two
Driver:        remote
Last Activity: 2026-12-01 12:34:40 +0000 UTC

Nodes:
Name:             one
Endpoint:         unix:///run/one.sock
Driver Options:   cacert="/ca.pem"
Status:           running
BuildKit version: v0.26.1
Platforms:        linux/arm64*, linux/amd64, linux/amd64/v2
Labels:
 org.mobyproject.buildkit.worker.executor: oci
 org.mobyproject.buildkit.worker.moby.host-gateway-ip: 172.31.200.1
GC Policy rule#0:
 All:            false
 Filters:        type==source.local
 Keep Duration:  48h0m0s

Name:     other
Endpoint: unix:///run/other.sock
Status:   inactive
"""
_FAILED = """\
Name:   ssh
Driver: docker-container

Nodes:
Name:     ssh0
Endpoint: ssh://me@nowhere
Error:    error during connect: ssh: Could not resolve hostname nowhere: Name or service not known
"""


def test_a_running_node_and_one_that_does_not_answer() -> None:
    one, other = read_inspection(_RUNNING)
    assert (one.name, one.endpoint, one.buildkit) == ("one", "unix:///run/one.sock", "v0.26.1")
    assert one.is_running
    assert one.declared == (LINUX_ARM64,)
    assert one.listed == (LINUX_AMD64, Platform("linux", "amd64", "v2"))
    assert dict(one.labels)["org.mobyproject.buildkit.worker.executor"] == "oci"
    assert "All" not in dict(one.labels)
    assert (other.name, other.status, other.is_running) == ("other", "inactive", False)


def test_an_error_is_kept_whole() -> None:
    (node,) = read_inspection(_FAILED)
    assert node.error.endswith("Could not resolve hostname nowhere: Name or service not known")
    assert not node.is_running


def test_anything_else_gives_no_nodes() -> None:
    assert read_inspection("") == ()
    assert read_inspection("Name: x\nDriver: remote\nError: what") == ()
    assert read_inspection("\nNodes:\n") == ()
