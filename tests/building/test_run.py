"""Whole builds with real parts: what is built, what is not, what the registry holds afterwards."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from orchestrator.building.entries import KEY, TAGS
from orchestrator.building.options import Goal
from orchestrator.core.errors import UsageError
from orchestrator.core.event import Notice
from orchestrator.core.finding import Finding, Severity
from orchestrator.core.fleet import Attest, Cache, CacheType, Publish, Scope, Service
from orchestrator.core.image import OCI_INDEX, REFERENCE_DIGEST
from orchestrator.core.plan import CellId
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.core.reference import Reference
from orchestrator.core.result import Outcome, Results

if TYPE_CHECKING:
    from tests.building.conftest import Yard

pytestmark = pytest.mark.real


def chain(yard: Yard) -> None:
    """A chain of three, the last of which also takes a file of the first."""
    yard.service("base", "FROM busybox:stable\nCOPY word /word\n", {"word": "one"})
    yard.service("mid", "FROM PREFIX/base\nRUN cp /word /mid && uname -m > /machine\n")
    yard.service("top", "FROM PREFIX/mid:latest\nCOPY --from=PREFIX/base /word /again\nCOPY own /own\n", {"own": "x"})


def outcomes(yard: Yard, **options: Any) -> set[tuple[str, str]]:
    results = yard.build(**options)
    assert results.is_good, [cell.reason for cell in results.cells]
    return {(cell.id.service, cell.outcome.value) for cell in results.cells}


def test_a_chain_becomes_lists_of_two_platforms_and_is_not_built_twice(yard: Yard) -> None:
    chain(yard)
    assert outcomes(yard) == {("base", "built"), ("mid", "built"), ("top", "built")}
    for name in ("base", "mid", "top"):
        index = yard.index(name)
        assert index.document.media_type == OCI_INDEX
        images = [entry for entry in index.manifests if not entry.is_attestation]
        assert [entry.platform for entry in images] == [LINUX_AMD64, LINUX_ARM64]
        assert all(entry.annotation(KEY).startswith("sha256:") for entry in images)
        assert [entry.annotation(REFERENCE_DIGEST) for entry in index.manifests][1::2] == [one.digest for one in images]
    before = yard.store.traffic.requests
    assert outcomes(yard) == {("base", "unchanged"), ("mid", "unchanged"), ("top", "unchanged")}
    plan_requests = 1
    assert yard.store.traffic.requests - before == 3 + plan_requests


def test_each_platform_is_built_on_its_own_parent(yard: Yard) -> None:
    chain(yard)
    assert yard.build().is_good
    for platform, machine in (("linux/amd64", "x86_64"), ("linux/arm64", "aarch64")):
        said = docker(
            yard, "run", "--rm", "--pull", "always", "--platform", platform, yard.image("top"), "cat", "/machine"
        )
        assert said.strip() == machine


def docker(yard: Yard, *words: str) -> str:
    done = subprocess.run(["docker", *words], env=yard.environment, capture_output=True, text=True, check=True)
    return done.stdout


def test_one_changed_file_builds_exactly_what_depends_on_it(yard: Yard) -> None:
    chain(yard)
    outcomes(yard)
    yard.service("top", (yard.folder / "top" / "Dockerfile").read_text(), {"own": "y"})
    assert outcomes(yard) == {("base", "unchanged"), ("mid", "unchanged"), ("top", "built")}
    (yard.folder / "base" / "word").write_text("two")
    assert outcomes(yard) == {("base", "built"), ("mid", "built"), ("top", "built")}


def test_a_parent_that_comes_out_the_same_changes_nothing_below_it(yard: Yard) -> None:
    yard.service("base", "FROM busybox:stable\nCOPY word /word\n", {"word": "one", ".dockerignore": "notes\n"})
    yard.service("child", "FROM PREFIX/base\nCOPY --from=busybox:stable /bin/true /t\n")
    assert outcomes(yard) == {("base", "built"), ("child", "built")}
    (yard.folder / "base" / "unused").write_text("is in the context, and in no COPY")
    assert outcomes(yard) == {("base", "built"), ("child", "unchanged")}
    (yard.folder / "base" / "notes").write_text("is ignored")
    assert outcomes(yard) == {("base", "unchanged"), ("child", "unchanged")}


def test_a_list_never_loses_a_platform_that_is_not_part_of_the_run(yard: Yard) -> None:
    yard.service("one", "FROM busybox:stable\nCOPY word /\n", {"word": "1"})
    outcomes(yard)
    before = yard.digest("one")
    (yard.folder / "one" / "word").write_text("2")
    results = yard.build(yard.plan(platforms=(LINUX_AMD64,)))
    assert yard.outcomes(results) == {"one@linux/amd64": "built"}
    assert results.indexes == ()
    assert yard.digest("one") == before
    assert any("no tag moves: linux/arm64 of one" in event.text for event in yard.events if isinstance(event, Notice))
    assert yard.outcomes(yard.build()) == {"one@linux/amd64": "unchanged", "one@linux/arm64": "built"}


def test_force_builds_what_is_unchanged(yard: Yard) -> None:
    yard.service("one", "FROM busybox:stable\nCOPY Dockerfile /\n")
    outcomes(yard)
    assert outcomes(yard, force=True) == {("one", "built")}


def test_a_failed_cell_moves_no_tag_and_the_next_run_goes_on_from_there(yard: Yard) -> None:
    yard.service("good", "FROM busybox:stable\nCOPY Dockerfile /\n")
    yard.service(
        "bad", "FROM busybox:stable\nARG TARGETARCH\nCOPY fail /fail\nRUN ! grep $TARGETARCH /fail\n", {"fail": "arm64"}
    )
    results = yard.build()
    assert yard.outcomes(results) == {
        "good@linux/amd64": "built",
        "good@linux/arm64": "built",
        "bad@linux/amd64": "built",
        "bad@linux/arm64": "failed",
    }
    failed = results.cells[3]
    assert "exit code: 1" in failed.reason
    assert any(line.startswith("Dockerfile:4") for line in failed.log)
    assert [index.outcome for index in results.indexes] == [Outcome.SKIPPED, Outcome.SKIPPED]
    for name in ("good", "bad"):
        with pytest.raises(Exception, match="not there"):
            yard.digest(name)
    again = yard.build()
    assert yard.outcomes(again)["good@linux/arm64"] == "unchanged"
    assert yard.outcomes(again)["bad@linux/amd64"] == "unchanged"
    assert yard.outcomes(again)["bad@linux/arm64"] == "failed"
    (yard.folder / "bad" / "fail").write_text("nothing")
    assert yard.build().is_good
    assert len(yard.index("bad").manifests) == 4


def test_scope_service_publishes_what_is_ready(yard: Yard) -> None:
    yard.service("good", "FROM busybox:stable\nCOPY Dockerfile /\n")
    yard.service("bad", "FROM busybox:stable\nRUN false\n")
    results = yard.build(scope=Scope.SERVICE)
    assert [index.outcome for index in results.indexes] == [Outcome.BUILT, Outcome.SKIPPED]
    assert yard.digest("good") == results.indexes[0].digest


def test_two_repositories_get_the_same_digest(yard: Yard) -> None:
    images = (Reference.parse(yard.image("a")), Reference.parse(yard.image("b")))
    yard.service("twice", "FROM busybox:stable\nCOPY Dockerfile /\n", images=images, tags=("1.0.0", "latest"))
    assert outcomes(yard) == {("twice", "built")}
    assert len({yard.digest(name, tag) for name in "ab" for tag in ("1.0.0", "latest")}) == 1
    assert dict(yard.index("a").annotations)[TAGS] == "1.0.0 latest"
    assert outcomes(yard) == {("twice", "unchanged")}


def test_a_new_tag_for_unchanged_content_is_the_same_list(yard: Yard) -> None:
    service = yard.service("one", "FROM busybox:stable\nCOPY Dockerfile /\n", tags=("1.0.0", "latest"))
    outcomes(yard)
    yard.services = [replace(service, tags=("1.0.1", "latest"))]
    assert outcomes(yard) == {("one", "unchanged")}
    assert yard.digest("one", "1.0.1") == yard.digest("one", "1.0.0") == yard.digest("one")


def test_the_docker_driver_builds_too(yard: Yard) -> None:
    chain(yard)
    yard.nodes = tuple(replace(node, builder="default", driver="docker") for node in yard.nodes)
    assert outcomes(yard) == {("base", "built"), ("mid", "built"), ("top", "built")}
    assert outcomes(yard) == {("base", "unchanged"), ("mid", "unchanged"), ("top", "unchanged")}
    tags = yard.store.tags(Reference.parse(yard.image("base")))
    assert sorted(tag.rsplit("-", 2)[-1] for tag in tags) == ["amd64", "arm64", "latest"]


def test_layouts_hold_all_platforms_of_a_service(yard: Yard) -> None:
    chain(yard)
    target = yard.folder / "dist"
    results = yard.build(goal=Goal.LAYOUT, directory=target)
    assert results.is_good
    assert sorted(path.name for path in target.iterdir()) == ["base", "mid", "top"]
    said = subprocess.run(
        ["skopeo", "inspect", "--raw", f"oci:{target / 'top'}"], capture_output=True, text=True, check=True
    ).stdout
    platforms = [entry["platform"]["architecture"] for entry in json.loads(said)["manifests"] if "platform" in entry]
    assert platforms[::2] == ["amd64", "arm64"]


def test_an_output_folder_that_cannot_be_written_is_an_error(yard: Yard) -> None:
    yard.service("one", "FROM busybox:stable\nCOPY Dockerfile /\n")
    (yard.folder / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        yard.build(goal=Goal.LAYOUT, directory=yard.folder / "file" / "dist")


def test_one_platform_is_loaded_with_its_parents(yard: Yard) -> None:
    chain(yard)
    with pytest.raises(UsageError, match="--load takes one platform"):
        yard.build(goal=Goal.LOAD)
    assert yard.build(yard.plan(platforms=(LINUX_ARM64,)), goal=Goal.LOAD).is_good
    assert docker(yard, "run", "--rm", "--platform", "linux/arm64", yard.image("top"), "cat", "/machine") == "aarch64\n"


def test_a_parent_for_both_platforms_is_handed_over_for_each(yard: Yard) -> None:
    yard.service("tool", "FROM busybox:stable\nRUN uname -m > /machine\n")
    yard.service(
        "cross",
        "FROM --platform=$BUILDPLATFORM PREFIX/tool AS build\nRUN cp /machine /made-on\n"
        "FROM PREFIX/tool\nCOPY --from=build /made-on /made-on\n",
    )
    assert outcomes(yard) == {("tool", "built"), ("cross", "built")}
    words = ("run", "--rm", "--pull", "always", "--platform", "linux/arm64", yard.image("cross"))
    assert docker(yard, *words, "cat", "/machine", "/made-on") == "aarch64\nx86_64\n"


def test_some_cells_are_built_here_and_leave_records(yard: Yard) -> None:
    chain(yard)
    records = yard.folder / "records"
    results = yard.build(only=frozenset({CellId("base", LINUX_AMD64)}), records=records)
    assert yard.outcomes(results) == {"base@linux/amd64": "built"}
    assert [path.name for path in records.iterdir()] == ["base-linux-amd64.json"]
    assert results.indexes == ()
    child = yard.build(only=frozenset({CellId("mid", LINUX_AMD64)}), records=records)
    assert yard.outcomes(child) == {"mid@linux/amd64": "built"}
    orphan = yard.build(only=frozenset({CellId("mid", LINUX_ARM64)}), records=records)
    assert yard.outcomes(orphan) == {"base@linux/arm64": "failed", "mid@linux/arm64": "skipped"}
    assert "has not been built yet" in orphan.cells[0].reason


def test_another_machine_goes_on_from_the_registry_alone(yard: Yard, tmp_path_factory: pytest.TempPathFactory) -> None:
    yard.service("good", "FROM busybox:stable\nCOPY Dockerfile /\n")
    bad = yard.service("bad", "FROM busybox:stable\nRUN false\n")
    assert not yard.build().is_good
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    shutil.copytree(yard.folder / "good", elsewhere / "good")
    yard.services = [
        replace(one, context=elsewhere / "good", dockerfile=elsewhere / "good" / "Dockerfile")
        for one in yard.services
        if one != bad
    ]
    results = yard.build()
    assert results.is_good
    assert set(yard.outcomes(results).values()) == {"unchanged"}


def test_open_inputs_are_always_built_and_max_age_bounds_the_rest(yard: Yard) -> None:
    yard.service("aged", "FROM busybox:stable\nCOPY Dockerfile /\n", max_age=3600.0)
    outcomes(yard)
    assert outcomes(yard) == {("aged", "unchanged")}
    late = yard.doors(now=lambda: "2099-01-01T00:00:00Z")
    assert yard.outcomes(yard.build(doors=late)) == {"aged@linux/amd64": "built", "aged@linux/arm64": "built"}


def test_a_guarded_tag_stays_at_a_newer_commit(yard: Yard) -> None:
    from orchestrator.building.options import Descent
    from orchestrator.building.tagging import REVISION

    yard.publish = Publish(monotonic=("latest",))
    yard.service("one", "FROM busybox:stable\nCOPY word /\n", {"word": "new"}, tags=("1.0.0", "latest"))
    order = ["old", "new"]

    def descends(ours: str, theirs: str) -> Descent:
        return Descent.NEWER if order.index(ours) >= order.index(theirs) else Descent.NOT_NEWER

    doors = yard.doors(descends=descends)
    assert yard.build(doors=doors, annotations=((REVISION, "new"),)).is_good
    newer = yard.digest("one")
    (yard.folder / "one" / "word").write_text("old")
    results = yard.build(doors=doors, annotations=((REVISION, "old"),))
    assert results.is_good
    assert yard.digest("one") == newer
    assert yard.digest("one", "1.0.0") == results.indexes[0].digest != newer
    assert any(isinstance(event, Notice) and "stays" in event.text for event in yard.events)


def test_secrets_reach_the_build_and_nothing_else(yard: Yard) -> None:
    from orchestrator.core.fleet import Secret

    value = "a-value-that-nobody-may-see"
    yard.environment = {**yard.environment, "THE_TOKEN": value}
    yard.service(
        "one",
        f"FROM busybox:stable\nRUN --mount=type=secret,id=token wc -c < /run/secrets/token | grep -q {len(value)}\n",
        secrets=(Secret("token", env="THE_TOKEN"),),
    )
    records = yard.folder / "records"
    assert yard.build(records=records).is_good
    told = "\n".join([*map(repr, yard.events), *(path.read_text() for path in Path(records).iterdir())])
    assert value not in told
    assert value not in yard.index("one").document.content.decode()


def test_a_cache_in_the_registry_is_filled_and_a_broken_one_fails_nothing(yard: Yard) -> None:
    yard.service("one", "FROM busybox:stable\nRUN echo cached\n", cache=Cache(CacheType.REGISTRY))
    outcomes(yard)
    place = Reference.parse(f"{yard.host}/{yard.prefix}/mabuild-cache")
    assert sorted(yard.store.tags(place)) == ["one-linux-amd64-main", "one-linux-arm64-main"]
    yard.services = [replace(yard.services[0], cache=Cache(CacheType.REGISTRY, "localhost:1/nowhere"))]
    assert outcomes(yard, force=True) == {("one", "built")}


def test_a_folder_as_cache(yard: Yard) -> None:
    folder = yard.folder / "cache"
    yard.service("one", "FROM busybox:stable\nRUN echo local\n", cache=Cache(CacheType.LOCAL, str(folder)))
    outcomes(yard)
    assert sorted(path.name for path in folder.iterdir()) == ["one-linux-amd64", "one-linux-arm64"]
    assert outcomes(yard, force=True) == {("one", "built")}


def test_without_attestations_a_cell_is_a_single_image(yard: Yard) -> None:
    yard.service("one", "FROM busybox:stable\nCOPY Dockerfile /\n", attest=Attest("false"))
    outcomes(yard)
    assert [entry.platform for entry in yard.index("one").manifests] == [LINUX_AMD64, LINUX_ARM64]
    assert outcomes(yard) == {("one", "unchanged")}


def test_a_disk_that_is_full_leaves_the_old_layout(yard: Yard) -> None:
    yard.service("one", "FROM busybox:stable\nCOPY word /\n", {"word": "1"})
    disk = yard.folder / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(disk)], check=True)
    try:
        assert yard.build(goal=Goal.LAYOUT, directory=disk).is_good
        before = (disk / "one" / "index.json").read_bytes()
        (disk / "filler").write_bytes(b"x" * free(disk))
        (yard.folder / "one" / "word").write_text("2")
        results = yard.build(goal=Goal.LAYOUT, directory=disk)
        assert not results.is_good
        assert (disk / "one" / "index.json").read_bytes() == before
        assert sorted(path.name for path in disk.iterdir()) == ["filler", "one"]
        assert any("no space left" in cell.reason for cell in results.cells), [cell.reason for cell in results.cells]
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def free(folder: Path) -> int:
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize - 4096


def test_two_real_runs_at_once(yard: Yard) -> None:
    chain(yard)
    runs: list[Results] = []

    def run() -> None:
        other = type(yard)(yard.folder, yard.environment, yard.host, yard.prefix)
        other.services = yard.services
        runs.append(other.build(journal=yard.folder / f"journal{threading.get_ident()}"))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [results.is_good for results in runs] == [True, True]
    for name in ("base", "mid", "top"):
        assert len(yard.index(name).manifests) == 4
    assert outcomes(yard) == {("base", "unchanged"), ("mid", "unchanged"), ("top", "unchanged")}


def test_a_registry_that_forgets_a_layer_before_the_join(yard: Yard) -> None:
    """The layer is deleted from the real registry after the push; the gate finds that, and the cells are built anew."""
    yard.service("one", "FROM busybox:stable\nCOPY word /word\n", {"word": yard.prefix})
    forgotten: list[str] = []

    def prove(service: Service, reference: Reference, platforms: tuple[Platform, ...]) -> tuple[Finding, ...]:
        layers = [layer.digest for image in yard.images(reference) for layer in yard.layers(reference, image)]
        if not forgotten:
            forgotten.append(layers[-1])
            yard.forget_blob(reference, layers[-1])
        missing = [digest for digest in layers if not yard.store.has_blob(reference, digest)]
        return tuple(Finding("MV205", "blob-missing", Severity.ERROR, f"{digest} is not there") for digest in missing)

    results = yard.build(doors=yard.doors(verify=prove))
    assert results.is_good, [index.reason for index in results.indexes]
    assert any("built once more" in event.text for event in yard.events if isinstance(event, Notice))
    assert yard.store.has_blob(Reference.parse(yard.image("one")), forgotten[0])
