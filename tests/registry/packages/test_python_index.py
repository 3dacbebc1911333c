"""Python indexes over real HTTP: both forms of pages, logins, the cache, and indexes that do not answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.core.packages import IndexOptions, Pin, ReleaseFile
from orchestrator.core.retry import RetryPolicy
from orchestrator.registry.clock import Clock
from orchestrator.registry.packages.configuration import IndexConfiguration
from orchestrator.registry.packages.pages import Pages
from orchestrator.registry.packages.python_index import PythonIndexes
from tests.faults.package_index import PackageIndex

QUICK = RetryPolicy(attempts=2, first_pause=0.01, longest_pause=0.01)
WHEEL = "tool-1.0-cp312-cp312-manylinux_2_28_aarch64.whl"
PIN = Pin("tool", "1.0")


@pytest.fixture(params=["json", "html"])
def index(request: pytest.FixtureRequest) -> Iterator[PackageIndex]:
    with PackageIndex(form=request.param) as index:
        index.add("tool", WHEEL, requires=">=3.9")
        index.add("tool", "tool-1.0.tar.gz", yanked=True)
        yield index


def asked(
    folder: Path,
    *addresses: str,
    pins: tuple[Pin, ...] = (PIN,),
    environment: dict[str, str] | None = None,
    now: float = 0,
) -> tuple[PythonIndexes, Pages]:
    clock = Clock(now=lambda: 1000 + now)
    pages = Pages(folder, environment or {}, policy=QUICK, clock=clock)
    main, *extra = addresses
    return PythonIndexes(pages, IndexConfiguration(main, tuple(extra))), pages


def test_files_of_a_page(index: PackageIndex, tmp_path: Path) -> None:
    indexes, _ = asked(tmp_path, index.url)
    answers = indexes.ask((PIN, Pin("nothing", "2")), IndexOptions(), "3.12")
    digests = {each.name: each.sha256 for each in index.projects["tool"]}
    assert answers.projects["tool"] == (
        ReleaseFile(WHEEL, digests[WHEEL], ">=3.9"),
        ReleaseFile("tool-1.0.tar.gz", digests["tool-1.0.tar.gz"], "", is_yanked=True),
    )
    assert answers.absent == {Pin("nothing", "2"): "no index has it"}
    assert not answers.unasked


def test_one_page_a_distribution_and_none_while_it_is_fresh(index: PackageIndex, tmp_path: Path) -> None:
    pins = (PIN, Pin("tool", "2.0"), Pin("tool", ""))
    asked(tmp_path, index.url)[0].ask(pins, IndexOptions(), "3.12")
    assert index.paths == ["/simple/tool/"]
    asked(tmp_path, index.url, now=599)[0].ask(pins, IndexOptions(), "3.12")
    assert index.paths == ["/simple/tool/"]


def test_an_old_page_is_asked_for_only_whether_it_changed(index: PackageIndex, tmp_path: Path) -> None:
    before = asked(tmp_path, index.url)[0].ask((PIN,), IndexOptions(), "3.12")
    again = asked(tmp_path, index.url, now=601)[0].ask((PIN,), IndexOptions(), "3.12")
    assert again == before
    assert "if-none-match" in index.seen[1][1]
    index.add("tool", "tool-1.0-py3-none-any.whl")
    changed = asked(tmp_path, index.url, now=1300)[0].ask((PIN,), IndexOptions(), "3.12")
    assert len(changed.projects["tool"]) == 3


def test_the_index_says_how_long_a_page_holds(index: PackageIndex, tmp_path: Path) -> None:
    index.cache_control = "max-age=0, must-revalidate"
    for _ in range(2):
        asked(tmp_path, index.url)[0].ask((PIN,), IndexOptions(), "3.12")
    assert len(index.seen) == 2


def test_packed_pages(index: PackageIndex, tmp_path: Path) -> None:
    index.zipped = True
    answers = asked(tmp_path, index.url)[0].ask((PIN,), IndexOptions(), "3.12")
    assert answers.projects["tool"][0].name == WHEEL


@pytest.mark.parametrize("way", ["address", "netrc"])
def test_logins(index: PackageIndex, tmp_path: Path, way: str) -> None:
    index.login = ("robot", "s3cret/+")
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login robot password s3cret/+\n", encoding="utf-8")
    url = index.url.replace("://", "://robot:s3cret%2F%2B@") if way == "address" else index.url
    environment = {"NETRC": str(netrc)} if way == "netrc" else {}
    answers = asked(tmp_path / "cache", url, environment=environment)[0].ask((PIN,), IndexOptions(), "3.12")
    assert "tool" in answers.projects
    kept = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "cache").iterdir())
    assert "s3cret" not in kept


def test_a_refused_login_is_no_answer(index: PackageIndex, tmp_path: Path) -> None:
    index.login = ("robot", "s3cret")
    url = index.url.replace("://", "://robot:wr0ng@")
    answers = asked(tmp_path, url)[0].ask((PIN,), IndexOptions(), "3.12")
    assert "refuses the login" in answers.unasked[PIN]
    assert "wr0ng" not in answers.unasked[PIN]
    assert not answers.absent


@pytest.mark.parametrize(("status", "requests"), [(500, 2), (503, 2), (400, 1)])
def test_a_dead_index_is_no_answer(index: PackageIndex, tmp_path: Path, status: int, requests: int) -> None:
    index.status = status
    answers = asked(tmp_path, index.url)[0].ask((PIN,), IndexOptions(), "3.12")
    assert str(status) in answers.unasked[PIN]
    assert len(index.seen) == requests


def test_nobody_listens(tmp_path: Path) -> None:
    answers = asked(tmp_path, "http://127.0.0.1:9/simple")[0].ask((PIN,), IndexOptions(), "3.12")
    assert "refuses connections" in answers.unasked[PIN]


def test_what_is_no_page(index: PackageIndex, tmp_path: Path) -> None:
    index.static["/simple/tool/"] = b"{"
    answers = asked(tmp_path, index.url)[0].ask((PIN,), IndexOptions(), "3.12")
    assert "is no index page" in answers.unasked[PIN]


def test_all_indexes_together_as_pip_joins_them(index: PackageIndex, tmp_path: Path) -> None:
    with PackageIndex() as other:
        other.add("tool", "tool-2.0-py3-none-any.whl")
        other.add("mine", "mine-1.0-py3-none-any.whl")
        indexes, _ = asked(tmp_path, index.url, other.url)
        answers = indexes.ask((PIN, Pin("mine", "1.0")), IndexOptions(), "3.12")
    assert [one.name for one in answers.projects["tool"]] == [WHEEL, "tool-1.0.tar.gz", "tool-2.0-py3-none-any.whl"]
    assert "mine" in answers.projects


def test_an_installation_names_its_own_index(index: PackageIndex, tmp_path: Path) -> None:
    indexes, _ = asked(tmp_path, "http://127.0.0.1:9/simple")
    answers = indexes.ask((PIN,), IndexOptions(index.url), "3.12")
    assert "tool" in answers.projects
    assert not indexes.lacks_main(IndexOptions())
    assert replace(indexes, configuration=IndexConfiguration()).lacks_main(IndexOptions(extra=(index.url,)))
    assert indexes.addresses(IndexOptions(no_index=True)) == ()
