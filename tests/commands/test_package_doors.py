"""uv as the client of the index that is built into it: what it is asked, and what its answers mean."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from orchestrator.buildx.uv import find_uv
from orchestrator.commands.package_doors import AllIndexes, Uv, machine_mirrors
from orchestrator.commands.session import Session
from orchestrator.core.packages import Ecosystem, IndexOptions, Pin, Repository
from orchestrator.registry.packages.configuration import IndexConfiguration
from orchestrator.registry.packages.pages import Pages
from orchestrator.registry.packages.python_index import PythonIndexes
from tests.commands.calling import write
from tests.faults.package_index import PackageIndex

ARM = "manylinux_2_17_aarch64.manylinux2014_aarch64"
OPTIONS = IndexOptions()


@pytest.fixture
def index() -> Iterator[PackageIndex]:
    with PackageIndex() as index:
        index.add("tool", f"tool-1.0-cp312-cp312-{ARM}.whl", "tool-1.0.tar.gz")
        index.add("tool", "tool-2.0-py3-none-any.whl")
        index.add("old", "old-1.0-py3-none-any.whl", requires=">=3.13")
        index.add("source", "source-1.0.tar.gz")
        yield index


@pytest.fixture
def doors(index: PackageIndex, tmp_path: Path) -> AllIndexes:
    """Nothing is configured for mabuild; what is built into uv is the index of the test."""
    environment = {"UV_CACHE_DIR": str(tmp_path / "uv"), "UV_DEFAULT_INDEX": index.url, "HOME": str(tmp_path)}
    named = PythonIndexes(Pages(tmp_path / "pages", {}), IndexConfiguration())
    session = Session(environment, tmp_path, StringIO(), StringIO())
    program = find_uv(environment)
    assert program, "uv belongs to the tools of the tests: `pip install uv`"
    return AllIndexes(named, Uv(program, session, named))


def test_all_files_of_releases_and_why_there_are_none(doors: AllIndexes) -> None:
    pins = (Pin("tool", "1.0"), Pin("tool", "7"), Pin("source", "1.0"), Pin("old", "1.0"), Pin("nothing", "1"))
    answers = doors.ask(pins, OPTIONS, "3.12")
    assert [one.name for one in answers.releases[pins[0]]] == [f"tool-1.0-cp312-cp312-{ARM}.whl", "tool-1.0.tar.gz"]
    assert [one.name for one in answers.releases[pins[2]]] == ["source-1.0.tar.gz"]
    assert answers.releases[pins[0]][0].sha256
    assert answers.absent == {
        Pin("tool", "7"): "there is no version 7",
        Pin("old", "1.0"): "it does not support this Python",
        Pin("nothing", "1"): "no index has it",
    }
    assert not answers.unasked


def test_the_newest_release(doors: AllIndexes) -> None:
    answers = doors.ask((Pin("tool", ""),), OPTIONS, "3.12")
    assert [one.name for one in answers.releases[Pin("tool", "")]] == ["tool-2.0-py3-none-any.whl"]


def test_nothing_is_ever_built(doors: AllIndexes, index: PackageIndex) -> None:
    doors.ask((Pin("source", "1.0"), Pin("source", "")), OPTIONS, "3.12")
    assert not [path for path in index.paths if path.startswith("/files/")]


@pytest.mark.parametrize(("status", "said"), [(401, "401"), (403, "403"), (500, "500")])
def test_a_dead_index_is_no_answer(doors: AllIndexes, index: PackageIndex, status: int, said: str) -> None:
    index.status = status
    answers = doors.ask((Pin("tool", "1.0"),), OPTIONS, "3.12")
    assert said in answers.unasked[Pin("tool", "1.0")]
    assert doors.uv.resolve(("tool",), "3.12", OPTIONS).why


def test_without_uv_and_index_nobody_is_asked(doors: AllIndexes, index: PackageIndex) -> None:
    without = AllIndexes(doors.named, Uv("", doors.uv.session, doors.named))
    pin = Pin("tool", "1.0")
    assert "no index is configured" in without.ask((pin,), OPTIONS, "3.12").unasked[pin]
    assert not index.seen


def test_a_named_extra_index_beside_the_built_in_one(doors: AllIndexes) -> None:
    with PackageIndex() as extra:
        extra.add("mine", "mine-1.0-py3-none-any.whl")
        answers = doors.ask((Pin("mine", "1.0"), Pin("tool", "1.0")), IndexOptions(extra=(extra.url,)), "3.12")
    assert "mine" in answers.projects
    assert Pin("tool", "1.0") in answers.releases
    assert not answers.absent


def test_mirrors_of_this_machine(tmp_path: Path) -> None:
    files = {
        "os-release": 'PRETTY_NAME="x"\nID=debian\n',
        "apt/sources.list": "# deb http://old.example/ x main\n"
        "deb [arch=amd64] http://a.example/debian bookworm main contrib\n",
        "apt/sources.list.d/debian.sources": "Types: deb deb-src\n# comment\nURIs: http://b.example/debian/\n"
        "Suites: bookworm bookworm-updates\nComponents: main\nSigned-By: /x\n",
        "apk/repositories": "http://c.example/alpine/v3.20/main\n#http://c.example/alpine/edge/testing\n",
    }
    a, b = "http://a.example/debian", "http://b.example/debian"
    debian = [(a, "bookworm", "main"), (a, "bookworm", "contrib"), (b, "bookworm", "main")]
    debian.append((b, "bookworm-updates", "main"))
    assert machine_mirrors(write(tmp_path, files)) == (
        *(Repository(Ecosystem.DEBIAN, *one, "debian") for one in debian),
        Repository(Ecosystem.ALPINE, "http://c.example/alpine/v3.20/main", distribution="alpine"),
    )
    assert machine_mirrors(tmp_path / "nothing") == ()
