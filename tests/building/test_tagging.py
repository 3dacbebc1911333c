"""What happens to tags when several hands move them: runs side by side, guards, rollback; without an engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event as Flag
from threading import Thread

import pytest

from orchestrator.building.options import Descent, Doors
from orchestrator.building.rollback import rollback
from orchestrator.building.run import build
from orchestrator.building.tagging import REVISION
from orchestrator.core.event import Event, Notice
from orchestrator.core.finding import Finding
from orchestrator.core.fleet import Publish
from orchestrator.core.image import OCI_INDEX, Document
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
    yard = Yard(tmp_path, {"BUILDX_BUILDER": "none", "MABUILD_LAB_REGISTRY": proxy.address}, proxy.address, "acme")
    for name in ("api", "web"):
        yard.service(name, "FROM scratch\nCOPY word /\n", {"word": "one"}, tags=("1.0.0", "latest"))
    return yard


def simulated(yard: Yard, **more: object) -> Doors:
    return yard.doors(builder=SimulatedBuilder(yard.store, **more))  # type: ignore[arg-type]


def change(yard: Yard, word: str) -> None:
    for name in ("api", "web"):
        (yard.folder / name / "word").write_text(word)


def other_index(word: str) -> Document:
    text = f'{{"schemaVersion":2,"mediaType":"{OCI_INDEX}","manifests":[],"annotations":{{"w":"{word}"}}}}'
    return Document.of(OCI_INDEX, text.encode())


def test_a_tag_moved_meanwhile_is_not_overwritten_and_no_other_tag_moves(shop: Yard) -> None:
    assert shop.build(doors=simulated(shop)).is_good
    before = shop.digest("web")
    change(shop, "two")
    foreign = other_index("foreign")

    def meddle(task: str) -> float:
        if task == "web@linux/arm64":
            shop.store.put_manifest(Reference.parse(f"{shop.image('api')}:latest"), foreign)
        return 0.0

    results = shop.build(doors=simulated(shop, seconds=meddle))
    assert [index.outcome for index in results.indexes] == [Outcome.FAILED, Outcome.FAILED]
    assert "was moved by somebody else meanwhile" in results.indexes[0].reason
    assert shop.digest("api") == foreign.digest
    assert shop.digest("web") == before
    assert shop.build(doors=simulated(shop)).is_good


def test_the_same_content_of_another_run_is_adopted(shop: Yard) -> None:
    assert shop.build(doors=simulated(shop)).is_good
    change(shop, "two")
    others: list[Results] = []

    def overtake(task: str) -> float:
        if task == "api@linux/amd64" and not others:
            elsewhere = Yard(shop.folder, shop.environment, shop.host, shop.prefix)
            elsewhere.services = shop.services
            others.append(elsewhere.build(doors=simulated(elsewhere, salt="other"), force=True))
        return 0.0

    results = shop.build(doors=simulated(shop, seconds=overtake, salt="ours"))
    assert others[0].is_good
    assert results.is_good
    assert [index.digest for index in results.indexes] == [index.digest for index in others[0].indexes]
    assert shop.digest("api") == shop.digest("api", "1.0.0") == others[0].indexes[0].digest
    assert any(
        isinstance(event, Notice) and "another run has published the same" in event.text for event in shop.events
    )


def test_two_runs_at_once_leave_whole_lists(shop: Yard) -> None:
    runs: list[Results] = []

    def run(salt: str) -> None:
        yard = Yard(shop.folder, shop.environment, shop.host, shop.prefix)
        yard.services = shop.services
        runs.append(yard.build(doors=simulated(yard, salt=salt, seconds=lambda _: 0.01)))

    threads = [Thread(target=run, args=(salt,)) for salt in ("a", "b", "c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [results.is_good for results in runs] == [True, True, True], [
        index.reason for one in runs for index in one.indexes
    ]
    for name in ("api", "web"):
        images = [entry for entry in shop.index(name).manifests if not entry.is_attestation]
        assert len(images) == 2
    assert shop.build(doors=simulated(shop)).is_good


@pytest.mark.parametrize("theirs", ["old", "new"])
def test_a_commit_that_comes_later_moves_over_an_older_one(shop: Yard, theirs: str) -> None:
    """Without a guard: a run that was overtaken by an older commit publishes, by a newer one it does not."""
    assert shop.build(doors=simulated(shop), annotations=((REVISION, "first"),)).is_good
    order = ["first", "old", "ours", "new"]
    change(shop, "two")

    def meddle(task: str) -> float:
        if task == "web@linux/arm64":
            index = other_index("x")
            content = index.content.replace(b'"w":"x"', f'"{REVISION}":"{theirs}"'.encode())
            shop.store.put_manifest(Reference.parse(f"{shop.image('api')}:latest"), Document.of(OCI_INDEX, content))
        return 0.0

    def descends(one: str, other: str) -> Descent:
        return Descent.NEWER if order.index(one) >= order.index(other) else Descent.NOT_NEWER

    doors = replace(simulated(shop, seconds=meddle), descends=descends)
    results = shop.build(doors=doors, annotations=((REVISION, "ours"),))
    assert results.is_good is (theirs == "old")


def test_an_unknown_commit_keeps_a_guarded_tag(shop: Yard) -> None:
    shop.publish = Publish(monotonic=("latest",))
    assert shop.build(doors=simulated(shop), annotations=((REVISION, "aaa"),)).is_good
    before = shop.digest("api")
    change(shop, "two")
    results = shop.build(doors=simulated(shop), annotations=((REVISION, "bbb"),))
    assert results.is_good
    assert shop.digest("api") == before
    assert shop.digest("api", "1.0.0") != before
    moves = {move.reference.rsplit(":", 1)[1]: move for move in results.indexes[0].tags}
    assert moves["latest"].old == moves["latest"].new == before


def test_a_failure_in_the_tag_phase_restores_every_tag_of_the_fleet(shop: Yard, proxy: FaultProxy) -> None:
    assert shop.build(doors=simulated(shop)).is_good
    before = {(name, tag): shop.digest(name, tag) for name in ("api", "web") for tag in ("1.0.0", "latest")}
    change(shop, "two")
    proxy.add(Fault(method="PUT", path="/acme/web/manifests/latest", status=500, times=10))
    results = shop.build(doors=simulated(shop))
    assert not results.is_good
    assert {key: shop.digest(*key) for key in before} == before
    assert "was put back to" in results.indexes[0].reason


def test_a_journal_takes_everything_back(shop: Yard) -> None:
    assert shop.build(doors=simulated(shop)).is_good
    before = shop.digest("api")
    (shop.folder / "journal.jsonl").unlink()
    change(shop, "two")
    assert shop.build(doors=simulated(shop)).is_good
    assert shop.digest("api") != before
    restored = rollback(shop.folder / "journal.jsonl", shop.store, str)
    assert all(one.is_good for one in restored)
    assert len(restored) == 4
    assert shop.digest("api") == shop.digest("api", "1.0.0") == before
    assert rollback(shop.folder / "journal.jsonl", shop.store, str) == ()


def test_a_rollback_leaves_alone_what_others_moved_since(shop: Yard) -> None:
    assert shop.build(doors=simulated(shop)).is_good
    (shop.folder / "journal.jsonl").unlink()
    change(shop, "two")
    assert shop.build(doors=simulated(shop)).is_good
    foreign = other_index("foreign")
    shop.store.put_manifest(Reference.parse(f"{shop.image('web')}:latest"), foreign)
    restored = {
        str(one.reference).rsplit("/", 1)[1]: one for one in rollback(shop.folder / "journal.jsonl", shop.store, str)
    }
    assert not restored["web:latest"].is_good
    assert "is left alone" in restored["web:latest"].message
    assert restored["api:latest"].is_good


def test_a_stop_before_the_tags_moves_none(shop: Yard) -> None:
    stop = Flag()

    def prove(*_: object) -> tuple[Finding, ...]:
        stop.set()
        return ()

    results = shop.build(doors=replace(simulated(shop), stopping=stop.is_set, verify=prove))
    assert not results.is_good
    for name in ("api", "web"):
        with pytest.raises(NotFoundError):
            shop.digest(name, "1.0.0")


@pytest.mark.parametrize(("grace", "finished"), [(5.0, True), (0.0, False)])
def test_a_stop_between_tags_finishes_them_or_puts_them_back(shop: Yard, grace: float, *, finished: bool) -> None:
    assert shop.build(doors=simulated(shop)).is_good
    before = {(name, tag): shop.digest(name, tag) for name in ("api", "web") for tag in ("1.0.0", "latest")}
    change(shop, "two")
    stop = Flag()

    def listen(event: Event) -> None:
        if isinstance(event, Notice) and "now points at" in event.text:
            stop.set()

    doors = replace(simulated(shop), stopping=stop.is_set)
    results = build(shop.plan(), shop.options(grace=grace), doors, listen)
    assert results.is_good is finished
    after = {key: shop.digest(*key) for key in before}
    assert all((after[key] != before[key]) is finished for key in before)


def test_requests_for_a_service_that_was_built(shop: Yard, proxy: FaultProxy) -> None:
    """Two cells: 2 looks for the index at a tag (none there), 2 for records, 2 pushed indexes read, 2 records written;
    then the index once by digest, each of two tags read, read again, put and read, and the 2 records removed."""
    shop.services = shop.services[:1]
    assert shop.build(doors=simulated(shop)).is_good
    pushes = 2 * 3
    assert len(proxy.seen) - pushes == 2 + 2 + 2 + 2 + 1 + 2 * 4 + 2
