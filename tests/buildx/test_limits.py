"""What nodes cannot do, as their own words tell; the labels were recorded from docker 26.1 with both image stores."""

from __future__ import annotations

import pytest

from orchestrator.buildx.inspection import Inspected
from orchestrator.buildx.limits import engine_limits

_PREFIX = "org.mobyproject.buildkit.worker"
_OWN_STORE = Inspected("default", status="running", labels=((f"{_PREFIX}.moby.host-gateway-ip", "172.31.202.1"),))
_CONTAINERD = Inspected(
    "default",
    status="running",
    labels=((f"{_PREFIX}.containerd.uuid", "55936b7a"), (f"{_PREFIX}.snapshotter", "overlayfs")),
)


def test_dockers_own_store_is_warned_of_with_the_ways_out() -> None:
    (finding,) = engine_limits("here", "docker", _OWN_STORE)
    assert (finding.rule, finding.severity) == ("MN103", "warning")
    assert "cannot have attestations" in finding.message
    assert "containerd-snapshotter" in finding.cause


@pytest.mark.parametrize(
    ("driver", "inspected"),
    [("docker", _CONTAINERD), ("docker-container", _OWN_STORE), ("docker", Inspected("default", status="inactive"))],
)
def test_others_are_not(driver: str, inspected: Inspected) -> None:
    assert engine_limits("here", driver, inspected) == ()
