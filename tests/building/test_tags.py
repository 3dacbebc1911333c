"""Tags move together or not at all: against a registry in memory, with faults from a proxy before it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.building.journal import Journal, read_journal
from orchestrator.building.tags import MoveError, Mover, Wish, current, in_order, is_moving
from orchestrator.core.event import Event
from orchestrator.core.image import OCI_INDEX, Document
from orchestrator.core.reference import Reference
from orchestrator.core.retry import RetryPolicy
from orchestrator.registry.client import RegistryClient
from tests.faults.proxy import Fault, FaultProxy
from tests.faults.registry_server import RegistryServer

QUICK = RetryPolicy(attempts=2, first_pause=0.01, longest_pause=0.01)


class Bench:
    """Two repositories behind a proxy, each with an old index at `latest`, and the wish to move on."""

    def __init__(self, proxy: FaultProxy, folder: Path) -> None:
        self.proxy = proxy
        self.store = RegistryClient((), {}, policy=QUICK)
        self.journal = Journal(folder / "journal.jsonl", lambda: "2026-12-01T00:00:00Z")
        self.events: list[Event] = []
        self.old = self.index("old")
        self.new = self.index("new")
        for name in ("a", "b"):
            self.store.put_manifest(self.reference(name), self.old)

    def index(self, word: str) -> Document:
        content = {"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": [], "annotations": {"word": word}}
        return Document.of(OCI_INDEX, json.dumps(content).encode())

    def reference(self, name: str, tag: str = "latest") -> Reference:
        return Reference.parse(f"{self.proxy.address}/acme/{name}:{tag}")

    def wish(self, name: str, tag: str = "latest") -> Wish:
        reference = self.reference(name, tag)
        return Wish(name, reference, self.new, current(self.store, reference))

    def mover(self, **more: object) -> Mover:
        return Mover(self.store, self.journal, self.events.append, **more)  # type: ignore[arg-type]

    def stands(self, name: str, tag: str = "latest") -> str:
        digest = current(self.store, self.reference(name, tag))
        return {self.old.digest: "old", self.new.digest: "new", "": "nothing"}.get(digest, "other")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with RegistryServer() as server, FaultProxy(server.address) as proxy:
        yield Bench(proxy, tmp_path)


def test_all_tags_move_and_the_journal_tells(bench: Bench) -> None:
    bench.mover().move([bench.wish("a"), bench.wish("b", "1.0.0"), bench.wish("b")])
    assert [bench.stands("a"), bench.stands("b"), bench.stands("b", "1.0.0")] == ["new", "new", "new"]
    assert {entry.move.old for entry in read_journal(bench.journal.path)} == {bench.old.digest, ""}


def test_fixed_tags_move_before_moving_ones(bench: Bench) -> None:
    bench.mover().move([bench.wish("a"), bench.wish("b", "1.0.0"), bench.wish("b", "edge")])
    puts = [seen.path.rsplit("/", 1)[-1] for seen in bench.proxy.seen if seen.method == "PUT"]
    assert puts[2:] == ["1.0.0", "edge", "latest"]


def test_a_failure_puts_back_what_was_moved(bench: Bench) -> None:
    bench.proxy.add(Fault(method="PUT", path="/acme/b/manifests/latest", status=500, times=5))
    with pytest.raises(MoveError) as caught:
        bench.mover().move([bench.wish("a", "edge"), bench.wish("a"), bench.wish("b")])
    assert "acme/a:latest was put back to" in caught.value.message
    assert "did not exist before, and stays" in caught.value.message
    assert [bench.stands("a"), bench.stands("b"), bench.stands("a", "edge")] == ["old", "old", "new"]
    assert [entry.reference.tag for entry in read_journal(bench.journal.path)] == ["latest", "edge"]


def test_a_lost_answer_is_put_back_too(bench: Bench) -> None:
    bench.proxy.add(Fault(method="PUT", path="/acme/a/manifests/latest", status=500, forward=True, times=2))
    with pytest.raises(MoveError, match="was put back"):
        bench.mover().move([bench.wish("a")])
    assert bench.stands("a") == "old"


def test_without_restoring_the_journal_is_named(bench: Bench) -> None:
    bench.proxy.add(Fault(method="PUT", path="/acme/b/manifests/latest", status=403, times=5))
    with pytest.raises(MoveError, match=r"journal\.jsonl"):
        bench.mover(restore=False).move([bench.wish("a", "edge"), bench.wish("b")])
    assert bench.stands("a", "edge") == "new"


def test_a_tag_that_another_hand_moves_just_before_is_left_alone(bench: Bench) -> None:
    wishes = [bench.wish("a", "edge"), bench.wish("a")]
    other = bench.index("other")
    bench.store.put_manifest(bench.reference("a"), other)
    with pytest.raises(MoveError, match="moved by somebody else meanwhile"):
        bench.mover().move(wishes)
    assert bench.stands("a") == "other"


def test_a_tag_that_another_hand_moves_just_after_is_noticed(bench: Bench) -> None:
    other = bench.index("other")

    def move_again(event: Event) -> None:
        bench.store.put_manifest(bench.reference("a"), other)

    with pytest.raises(MoveError, match="and is left alone"):
        Mover(bench.store, bench.journal, move_again).move([bench.wish("a")])
    assert bench.stands("a") == "other"


def test_a_transient_failure_is_nothing(bench: Bench) -> None:
    bench.proxy.add(Fault(method="PUT", path="/manifests/latest", status=503))
    bench.mover().move([bench.wish("a")])
    assert bench.stands("a") == "new"


def test_no_tag_moves_when_there_is_no_time(bench: Bench) -> None:
    with pytest.raises(MoveError, match="no time left"):
        bench.mover(may_finish=lambda left: left < 2).move([bench.wish("a"), bench.wish("b")])
    assert [bench.stands("a"), bench.stands("b")] == ["old", "old"]


def test_a_journal_that_cannot_be_written_moves_no_tag(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    journal = Journal(tmp_path / "file" / "journal", str)
    with pytest.raises(MoveError, match="cannot be written"):
        Mover(bench.store, journal, bench.events.append).move([bench.wish("a")])
    assert bench.stands("a") == "old"


@pytest.mark.parametrize(
    ("tag", "moving"),
    [
        ("latest", True),
        ("main", True),
        ("edge", True),
        ("1.2", True),
        ("v2", True),
        ("dev", True),
        ("1.2.3", False),
        ("v1.2.3-rc.1", False),
        ("0a1b2c3", False),
        ("sha-0a1b2c3", False),
        ("nightly-20261201", False),
    ],
)
def test_which_tags_move(tag: str, *, moving: bool) -> None:
    assert is_moving(tag) is moving


def test_latest_is_last() -> None:
    assert in_order(("latest", "1.0.0", "main", "latest")) == ("1.0.0", "main", "latest")
