"""The digest of a context changes with what a build could see, and with nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from orchestrator.core.errors import UsageError
from orchestrator.dockerfile import context as context_module
from orchestrator.dockerfile.context import Contexts, context_digest
from orchestrator.dockerfile.ignore import Ignore, parse_ignore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.c").write_text("int main;")
    (tmp_path / "run.sh").write_text("#!/bin/sh")
    (tmp_path / "link").symlink_to("run.sh")
    return tmp_path


def test_times_and_owners_do_not_count(folder: Path) -> None:
    before = context_digest(folder, Ignore())
    os.utime(folder / "run.sh", (1, 1))
    (folder / "run.sh").chmod(0o600)
    assert context_digest(folder, Ignore()) == before


def change_content(folder: Path) -> None:
    (folder / "src" / "main.c").write_text("int mine;")


def make_executable(folder: Path) -> None:
    (folder / "run.sh").chmod(0o755)


def move_link(folder: Path) -> None:
    (folder / "link").unlink()
    (folder / "link").symlink_to("src")


def add_empty_folder(folder: Path) -> None:
    (folder / "empty").mkdir()


def rename(folder: Path) -> None:
    (folder / "run.sh").rename(folder / "go.sh")


def link_becomes_file(folder: Path) -> None:
    (folder / "link").unlink()
    (folder / "link").write_text("run.sh")


@pytest.mark.parametrize(
    "change", [change_content, make_executable, move_link, add_empty_folder, rename, link_becomes_file]
)
def test_what_a_build_can_see_counts(folder: Path, change: object) -> None:
    assert callable(change)
    before = context_digest(folder, Ignore())
    change(folder)
    assert context_digest(folder, Ignore()) != before


def test_what_is_ignored_does_not_count(folder: Path) -> None:
    ignore = parse_ignore("src\n", "")
    before = context_digest(folder, ignore)
    change_content(folder)
    assert context_digest(folder, ignore) == before


def test_links_out_of_the_context_are_not_followed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (folder / "out").symlink_to(outside)
    before = context_digest(folder, Ignore())
    (outside / "file").write_text("")
    assert context_digest(folder, Ignore()) == before


def test_names_that_are_no_text_are_taken(folder: Path) -> None:
    (Path(os.fsdecode(os.fsencode(folder) + b"/\xff"))).write_text("")
    assert context_digest(folder, Ignore()).startswith("sha256:")


def test_a_context_is_read_once(folder: Path) -> None:
    contexts = Contexts()
    before = contexts.digest(folder, folder / "Dockerfile")
    change_content(folder)
    assert contexts.digest(folder, folder / "Dockerfile") == before


def test_what_cannot_be_read_is_told(folder: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        context_digest(folder / "none", Ignore())


def test_a_context_without_end_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context_module, "MOST_ENTRIES", 3)
    with pytest.raises(UsageError, match="holds more than 3 files"):
        context_digest(folder, Ignore())
