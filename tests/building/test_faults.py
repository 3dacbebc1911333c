"""Real builds through a proxy with scripted faults: what may pass is tried again, and what stays is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from orchestrator.core.event import Notice
from orchestrator.core.finding import Finding, Severity
from orchestrator.core.result import Outcome
from tests.building.conftest import Yard
from tests.faults.proxy import Fault, FaultProxy

pytestmark = pytest.mark.real

PUSH = [
    Fault(method="POST", path="/blobs/uploads/", status=503, times=2),
    Fault(method="PUT", path="/blobs/uploads/", status=500, times=2),
    Fault(method="PUT", path="/blobs/uploads/", reset=True, times=2),
    Fault(method="PUT", path="/manifests/sha256", status=502, times=2),
    Fault(method="HEAD", path="/blobs/", reset=True, times=2),
]
JOIN = [
    Fault(method="GET", path="/manifests/sha256", status=503, times=2),
    Fault(method="GET", path="/manifests/sha256", truncate=10, times=2),
    Fault(method="PUT", path="/manifests/latest", status=500, times=2),
    Fault(method="PUT", path="/manifests/latest", reset=True, times=2),
    Fault(method="HEAD", path="/manifests/latest", status=429, headers=(("Retry-After", "1"),)),
]


@pytest.fixture
def proxy(lab_environment: dict[str, str]) -> Iterator[FaultProxy]:
    with FaultProxy(lab_environment["MABUILD_LAB_REGISTRY"]) as proxy:
        yield proxy


@pytest.fixture
def behind(yard: Yard, proxy: FaultProxy) -> Yard:
    """The yard with the proxy for its registry, under a name that buildx takes as plain HTTP."""
    yard.host = f"localhost:{proxy.address.rsplit(':', 1)[1]}"
    yard.service("one", "FROM busybox:stable\nCOPY word /word\n", {"word": yard.prefix})
    return yard


@pytest.mark.parametrize("fault", [*PUSH, *JOIN], ids=lambda fault: f"{fault.method} {fault.path} {fault.status}")
def test_passing_trouble_at_every_kind_of_request(behind: Yard, proxy: FaultProxy, fault: Fault) -> None:
    proxy.add(fault)
    results = behind.build()
    assert results.is_good, [cell.reason for cell in results.cells]
    assert len(behind.index("one").manifests) == 4


def test_a_push_that_fails_for_long_is_tried_again_with_its_reason(behind: Yard, proxy: FaultProxy) -> None:
    proxy.add(Fault(method="POST", path="/blobs/uploads/", status=502, times=40))
    results = behind.build()
    assert results.is_good, [cell.reason for cell in results.cells]
    told = [event.text for event in behind.events if isinstance(event, Notice) and "failed" in event.text]
    assert any("registry trouble (HTTP 502)" in text for text in told), told


@pytest.mark.parametrize(("status", "word"), [(401, "docker login"), (403, "docker login"), (405, "profile")])
def test_what_stays_is_told_at_once_with_what_mends_it(behind: Yard, proxy: FaultProxy, status: int, word: str) -> None:
    proxy.add(Fault(method="POST", path="/blobs/uploads/", status=status, times=1000))
    proxy.add(Fault(method="PUT", path="/manifests/", status=status, times=1000))
    results = behind.build()
    assert {cell.outcome for cell in results.cells} == {Outcome.FAILED}
    assert all(cell.attempts == 1 for cell in results.cells)
    assert any(word in cell.reason for cell in results.cells), [cell.reason for cell in results.cells]


def test_a_registry_that_forgets_a_manifest_between_push_and_join(behind: Yard) -> None:
    """The gate finds it, the cells are built once more, and only then the tag moves."""
    lost: list[str] = []

    def prove(*_: object) -> tuple[Finding, ...]:
        if lost:
            return ()
        lost.append("once")
        return (Finding("MV205", "blob-missing", Severity.ERROR, "a layer is not there"),)

    results = behind.build(doors=behind.doors(verify=prove))
    assert results.is_good
    assert sum("built once more" in event.text for event in behind.events if isinstance(event, Notice)) == 1
    assert len(behind.index("one").manifests) == 4


def test_an_index_that_stays_wrong_moves_no_tag(behind: Yard) -> None:
    wrong = Finding("MV401", "entrypoint-architecture", Severity.ERROR, "/bin/x is of another machine")
    results = behind.build(doors=behind.doors(verify=lambda *_: (wrong,)))
    assert results.indexes[0].outcome is Outcome.FAILED
    assert "MV401" in results.indexes[0].reason
    with pytest.raises(Exception, match="not there"):
        behind.digest("one")
