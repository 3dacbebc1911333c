"""Finding Dockerfiles: names, what git ignores, and how the user would name them."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.auditing.discover import dockerfiles, is_dockerfile_name
from orchestrator.core.errors import UsageError


@pytest.mark.parametrize(
    "name",
    [
        "Dockerfile",
        "dockerfile",
        "Dockerfile.arm64",
        "api.Dockerfile",
        "Containerfile",
        "Containerfile.dev",
        "Dockerfile-x",
    ],
)
def test_names_of_dockerfiles(name: str) -> None:
    assert is_dockerfile_name(name)


@pytest.mark.parametrize(
    "name",
    ["Dockerfile.dockerignore", "dockerfiles", "Dockerfile.md", "dockerfile_parser.py", "my-dockerfile", "Makefile"],
)
def test_names_of_other_files(name: str) -> None:
    assert not is_dockerfile_name(name)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in (
        "Dockerfile",
        "a/Dockerfile",
        "a/old/Dockerfile",
        "b/x.Dockerfile",
        "node_modules/p/Dockerfile",
        "gen/Dockerfile",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("FROM scratch\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("gen/\nold\n")
    return tmp_path


def test_a_folder_without_what_git_ignores(tree: Path) -> None:
    assert dockerfiles((".",), tree) == ("Dockerfile", "a/Dockerfile", "b/x.Dockerfile")


def test_an_ignore_file_above_the_folder_holds(tree: Path) -> None:
    assert dockerfiles(("a/",), tree) == ("a/Dockerfile",)


def test_an_ignore_file_nearer_has_the_last_word(tree: Path) -> None:
    (tree / "a" / ".gitignore").write_text("!old\n")
    assert dockerfiles(("a",), tree) == ("a/Dockerfile", "a/old/Dockerfile")


def test_a_file_is_taken_as_it_is_named_and_once(tree: Path) -> None:
    assert dockerfiles(("gen/Dockerfile", "gen/Dockerfile"), tree) == ("gen/Dockerfile",)


def test_what_is_not_there(tree: Path) -> None:
    with pytest.raises(UsageError, match="nowhere is not there"):
        dockerfiles(("nowhere",), tree)


def test_a_link_to_a_folder_above_ends(tree: Path) -> None:
    (tree / "a" / "loop").symlink_to(tree)
    assert dockerfiles((".",), tree) == ("Dockerfile", "a/Dockerfile", "b/x.Dockerfile")
