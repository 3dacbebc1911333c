"""The table of vendors: every entry is whole, and addresses find the right one."""

from __future__ import annotations

import re

import pytest

from orchestrator.auditing.architectures import AMD64, ARM64, names
from orchestrator.auditing.vendors.table import Vendor, vendor_of, vendors


@pytest.mark.parametrize("vendor", vendors(), ids=lambda vendor: vendor.name)
def test_an_entry_is_whole(vendor: Vendor) -> None:
    assert vendor.name
    assert vendor.amd64
    assert re.fullmatch(r"https://\S+", vendor.source)
    assert re.fullmatch(r"20\d\d-(?:0[1-9]|1[0-2])", vendor.checked)
    assert not vendor.since or vendor.arm64
    for family, called in ((AMD64, vendor.amd64), (ARM64, vendor.arm64)):
        for name in called:
            assert not name or name == "arm" or {one.family for one in names(name)} == {family}


def test_no_vendor_stands_twice() -> None:
    known = [vendor.name for vendor in vendors()]
    assert len(known) == len(set(known))
    patterns = [vendor.pattern.pattern for vendor in vendors()]
    assert len(patterns) == len(set(patterns))


@pytest.mark.parametrize(
    ("address", "name", "arm64"),
    [
        ("dl.k8s.io/release/v1.34.0/bin/linux/amd64/kubectl", "kubectl and other Kubernetes binaries", "arm64"),
        (
            "github.com/just-containers/s6-overlay/releases/download/v3.2/s6-overlay-x86_64",
            "s6-overlay 3",
            "aarch64",
        ),
        ("github.com/just-containers/s6-overlay/releases/download/v2.2/a", "s6-overlay 1 and 2", "aarch64"),
        ("nodejs.org/dist/v20.1.0/node-v20.1.0-linux-x64.tar.xz", "Node.js", "arm64"),
        ("github.com/protocolbuffers/protobuf/releases/download/v3/protoc-3-linux-x86_64.zip", "protoc", "aarch_64"),
        ("github.com/aquasecurity/trivy/releases/download/v0.5/trivy_0.5_Linux-64bit.tar.gz", "Trivy", "ARM64"),
    ],
)
def test_addresses(address: str, name: str, arm64: str) -> None:
    vendor = vendor_of(f"https://{address}")
    assert vendor is not None
    assert vendor.name == name
    assert vendor.arm64[0] == arm64


def test_an_unknown_address() -> None:
    assert vendor_of("https://example.com/tool-amd64") is None
