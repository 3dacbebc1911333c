"""Lists of Debian's and Alpine's mirrors over real HTTP."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.core.errors import MabuildError
from orchestrator.core.packages import Ecosystem, Repository
from orchestrator.core.retry import RetryPolicy
from orchestrator.registry.errors import MalformedError
from orchestrator.registry.packages.mirrors import Mirrors
from orchestrator.registry.packages.pages import AbsentError, Pages
from tests.faults.package_index import PackageIndex, alpine_list, debian_list

FOLDER = "/debian/dists/bookworm/main/binary-arm64"
STANZAS = (
    {"Package": "curl", "Version": "8.0-1", "Architecture": "arm64", "Description": "tool\n more: text"},
    {
        "Package": "exim4-daemon-light",
        "Version": "4",
        "Architecture": "arm64",
        "Provides": "mail-transport-agent, x (= 1)",
    },
)
CURL = {"curl": "curl_8.0-1_arm64.deb"}


@pytest.fixture
def index() -> Iterator[PackageIndex]:
    with PackageIndex() as index:
        yield index


def mirrors(folder: Path) -> Mirrors:
    return Mirrors(Pages(folder, {}, policy=RetryPolicy(attempts=1)))


def debian(index: PackageIndex) -> Repository:
    return Repository(Ecosystem.DEBIAN, f"{index.root}/debian", "bookworm", "main")


@pytest.mark.parametrize("ending", ["xz", "gz"])
def test_debian(index: PackageIndex, tmp_path: Path, ending: str) -> None:
    packed = debian_list(*STANZAS)
    import gzip

    index.static[f"{FOLDER}/Packages.{ending}"] = lzma.compress(gzip.decompress(packed)) if ending == "xz" else packed
    names = mirrors(tmp_path).names(debian(index), "arm64")
    file = "exim4-daemon-light_4_arm64.deb"
    assert names == {**CURL, "exim4-daemon-light": file, "mail-transport-agent": file, "x": file}


def test_a_list_is_read_once(index: PackageIndex, tmp_path: Path) -> None:
    index.static[f"{FOLDER}/Packages.xz"] = lzma.compress(b"Package: a\nVersion: 1\nArchitecture: all\n")
    read = mirrors(tmp_path)
    assert read.names(debian(index), "arm64") == read.names(debian(index), "arm64") == {"a": "a_1_all.deb"}
    assert mirrors(tmp_path).names(debian(index), "arm64") == {"a": "a_1_all.deb"}
    assert len(index.seen) == 1


def test_no_list_for_an_architecture(index: PackageIndex, tmp_path: Path) -> None:
    repository = replace(debian(index), address=f"{index.root}/debian".replace("://", "://me:s3cret@"))
    with pytest.raises(AbsentError, match="no list of bookworm for arm64") as raised:
        mirrors(tmp_path).names(repository, "arm64")
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize("content", [b"no archive", lzma.compress(b"Package: a\n")[:-9], b"\xfd7zXZ\x00"])
def test_broken_lists(index: PackageIndex, tmp_path: Path, content: bytes) -> None:
    index.static[f"{FOLDER}/Packages.xz"] = content
    with pytest.raises(MalformedError):
        mirrors(tmp_path).names(debian(index), "arm64")


def test_alpine(index: PackageIndex, tmp_path: Path) -> None:
    stanzas = (
        {"P": "curl", "V": "8.0-r0", "A": "aarch64", "p": "cmd:curl=8.0-r0 so:libx.so.1"},
        {"P": "git", "V": "2"},
    )
    index.static["/alpine/v3.20/main/aarch64/APKINDEX.tar.gz"] = alpine_list(*stanzas)
    repository = Repository(Ecosystem.ALPINE, f"{index.root}/alpine/v3.20/main")
    names = mirrors(tmp_path).names(repository, "aarch64")
    assert names == {
        "curl": "curl-8.0-r0.apk",
        "cmd:curl": "curl-8.0-r0.apk",
        "so:libx.so.1": "curl-8.0-r0.apk",
        "git": "git-2.apk",
    }


def test_dead_mirror(index: PackageIndex, tmp_path: Path) -> None:
    index.status = 500
    with pytest.raises(MabuildError, match="500"):
        mirrors(tmp_path).names(debian(index), "arm64")
