"""Publishing what several machines built, and what a registry remembers; with a registry in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.building.memory import REPOSITORY
from orchestrator.building.metadata import metadata_fields
from orchestrator.building.options import Doors
from orchestrator.building.publish import preview, publish
from orchestrator.building.record import read_records
from orchestrator.core.errors import BuildError
from orchestrator.core.event import Notice
from orchestrator.core.fleet import Scope
from orchestrator.core.plan import CellId
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from orchestrator.core.reference import Reference
from orchestrator.core.result import Outcome, Results
from orchestrator.registry.errors import NotFoundError
from tests.building.conftest import Yard
from tests.building.simulated import SimulatedBuilder
from tests.faults.proxy import Fault, FaultProxy
from tests.faults.registry_server import RegistryServer


@pytest.fixture
def proxy() -> Iterator[FaultProxy]:
    with RegistryServer() as server, FaultProxy(server.address) as proxy:
        yield proxy


@pytest.fixture
def shop(proxy: FaultProxy, tmp_path: Path) -> Yard:
    yard = Yard(
        tmp_path / "fleet", {"BUILDX_BUILDER": "none", "MABUILD_LAB_REGISTRY": proxy.address}, proxy.address, "acme"
    )
    yard.service("base", "FROM scratch\nCOPY word /\n", {"word": "one"})
    yard.service("api", "FROM PREFIX/base\nCOPY word /\n", {"word": "one"}, tags=("1.0.0", "latest"))
    return yard


def simulated(yard: Yard) -> Doors:
    return yard.doors(builder=SimulatedBuilder(yard.store))


def build_apart(yard: Yard, records: Path) -> None:
    """Each cell on a machine of its own, which has only the records of its parents."""
    for name in ("base", "api"):
        for platform in (LINUX_AMD64, LINUX_ARM64):
            results = yard.build(doors=simulated(yard), only=frozenset({CellId(name, platform)}), records=records)
            assert yard.outcomes(results) == {f"{name}@{platform}": "built"}


def join(yard: Yard, records: Path, **options: object) -> Results:
    return publish(yard.plan(), read_records(records), yard.options(**options), yard.doors(), yard.events.append)


def test_records_of_several_machines_become_one_list(shop: Yard, tmp_path: Path) -> None:
    build_apart(shop, tmp_path / "records")
    with pytest.raises(NotFoundError):
        shop.digest("api")
    seen = preview(shop.plan(), read_records(tmp_path / "records"), shop.options(), shop.doors())
    assert [(move.old, move.new) for move in seen.indexes[1].tags] == [("", seen.indexes[1].digest)] * 2
    with pytest.raises(NotFoundError):
        shop.digest("api")
    results = join(shop, tmp_path / "records")
    assert results.is_good
    assert [index.digest for index in results.indexes] == [index.digest for index in seen.indexes]
    assert shop.digest("api") == shop.digest("api", "1.0.0") == results.indexes[1].digest
    assert [str(cell.id) for cell in results.cells] == [
        "base@linux/amd64", "base@linux/arm64", "api@linux/amd64", "api@linux/arm64",
    ]  # fmt: skip
    assert shop.store.tags(Reference.parse(f"{shop.host}/acme/{REPOSITORY}")) == ()
    again = shop.build(doors=simulated(shop))
    assert set(shop.outcomes(again).values()) == {"unchanged"}
    assert {index.digest for index in again.indexes} == {index.digest for index in results.indexes}


def test_an_incomplete_set_is_refused(shop: Yard, tmp_path: Path) -> None:
    build_apart(shop, tmp_path / "records")
    (tmp_path / "records" / "api-linux-arm64.json").unlink()
    with pytest.raises(BuildError, match="records are missing: api@linux/arm64"):
        join(shop, tmp_path / "records")


def test_a_record_of_fewer_repositories_is_refused(shop: Yard, tmp_path: Path) -> None:
    build_apart(shop, tmp_path / "records")
    more = Reference.parse(shop.image("elsewhere"))
    shop.services = [replace(one, images=(*one.images, more)) for one in shop.services]
    with pytest.raises(BuildError, match="was not pushed to"):
        join(shop, tmp_path / "records")


def test_a_list_that_the_registry_refuses_moves_no_tag(shop: Yard, proxy: FaultProxy, tmp_path: Path) -> None:
    build_apart(shop, tmp_path / "records")
    proxy.add(Fault(method="PUT", path="/acme/api/manifests/sha256", status=400, times=9))
    results = join(shop, tmp_path / "records")
    assert [index.outcome for index in results.indexes] == [Outcome.SKIPPED, Outcome.FAILED]
    with pytest.raises(NotFoundError):
        shop.digest("base")
    proxy.add(Fault(method="PUT", path="/acme/api/manifests/sha256", status=400, times=9))
    by_service = join(shop, tmp_path / "records", scope=Scope.SERVICE)
    assert [index.outcome for index in by_service.indexes] == [Outcome.BUILT, Outcome.FAILED]
    assert shop.digest("base") == by_service.indexes[0].digest


def test_metadata_has_the_shape_of_bake(shop: Yard) -> None:
    plan = shop.plan()
    results = shop.build(plan, simulated(shop))
    found = json.loads(json.dumps(metadata_fields(plan, results)))
    assert list(found) == ["base", "api"]
    assert found["api"]["containerimage.digest"] == shop.digest("api")
    assert found["api"]["image.name"] == f"{shop.image('api')}:1.0.0,{shop.image('api')}:latest"


def test_records_in_the_registry_are_gone_after_publishing(shop: Yard, proxy: FaultProxy) -> None:
    assert shop.build(doors=simulated(shop)).is_good
    assert shop.store.tags(Reference.parse(f"{shop.host}/acme/{REPOSITORY}")) == ()


def test_a_registry_that_takes_no_records_fails_nothing(shop: Yard, proxy: FaultProxy) -> None:
    proxy.add(Fault(method="PUT", path=f"/{REPOSITORY}/", status=403, times=99))
    proxy.add(Fault(method="GET", path=f"/{REPOSITORY}/", status=500, times=99))
    assert shop.build(doors=simulated(shop)).is_good
    told = [event.text for event in shop.events if isinstance(event, Notice) and "takes no records" in event.text]
    assert len(told) == 1
