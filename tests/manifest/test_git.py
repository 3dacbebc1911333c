"""The git variables, read from real repositories that git itself made."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from orchestrator.manifest.git import GitVariables

_ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.com",
}


def git(directory: Path, *arguments: str) -> str:
    command = ["git", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *arguments]
    done = subprocess.run(command, cwd=directory, env=_ENVIRONMENT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(directory: Path, text: str = "one") -> str:
    git(directory, "commit", "-q", "--allow-empty", "-m", text)
    return git(directory, "rev-parse", "HEAD")


def variables(directory: Path, **environment: str) -> dict[str, str]:
    found = GitVariables(directory, environment)
    return {name: found.get(name) for name in ("GIT_SHA", "GIT_SHORT_SHA", "GIT_BRANCH", "GIT_TAG")}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    return folder


def test_branch_and_commit(repository: Path) -> None:
    sha = commit(repository)
    git(repository, "checkout", "-q", "-b", "feature/a")
    below = repository / "deep" / "below"
    below.mkdir(parents=True)
    expected = {"GIT_SHA": sha, "GIT_SHORT_SHA": sha[:7], "GIT_BRANCH": "feature/a", "GIT_TAG": ""}
    assert variables(below) == expected


def test_packed_refs(repository: Path) -> None:
    sha = commit(repository)
    git(repository, "tag", "v1")
    git(repository, "tag", "-a", "-m", "two", "v2")
    commit(repository, "later")
    git(repository, "tag", "-a", "-m", "three", "v3")
    git(repository, "pack-refs", "--all")
    git(repository, "checkout", "-q", "-B", "main", sha)
    git(repository, "pack-refs", "--all")
    assert not (repository / ".git/refs/heads/main").exists()
    expected = {"GIT_SHA": sha, "GIT_SHORT_SHA": sha[:7], "GIT_BRANCH": "main", "GIT_TAG": "v2"}
    assert variables(repository) == expected


@pytest.mark.parametrize("options", [(), ("-a", "-m", "text")], ids=["plain", "annotated"])
def test_loose_tag_and_detached_head(repository: Path, options: tuple[str, ...]) -> None:
    sha = commit(repository)
    git(repository, "tag", *options, "release/1.0")
    git(repository, "checkout", "-q", "--detach")
    assert variables(repository) == {
        "GIT_SHA": sha,
        "GIT_SHORT_SHA": sha[:7],
        "GIT_BRANCH": "",
        "GIT_TAG": "release/1.0",
    }


def test_annotated_tags_in_packs_also_as_deltas(repository: Path, tmp_path: Path) -> None:
    letters = random.Random(5)  # texts that pay off as deltas, as the notes of releases do
    notes = "\n".join(f"{letters.getrandbits(256):x}" for _ in range(40))
    for number in range(30):
        commit(repository, str(number))
        git(repository, "tag", "-a", "-m", f"{notes}\n{number}", f"v{number}")
    git(repository, "repack", "-adfq", "--depth=50")
    kinds = git(repository, "verify-pack", "-v", *map(str, (repository / ".git/objects/pack").glob("*.idx")))
    assert any(" tag " in line and len(line.split()) == 7 for line in kinds.splitlines()), "no tag is kept as a delta"
    for number in range(30):
        name = f"v{number}"
        git(repository, "checkout", "-q", name)
        assert (repository / ".git/refs/tags" / name).exists()
        assert variables(repository)["GIT_TAG"] == name


def test_a_tag_of_a_tag(repository: Path) -> None:
    commit(repository)
    git(repository, "tag", "-a", "-m", "x", "inner")
    git(repository, "tag", "-a", "-m", "x", "z-outer", "inner")
    assert variables(repository)["GIT_TAG"] == "z-outer"


def test_a_tag_of_a_tree_is_no_tag_of_the_commit(repository: Path) -> None:
    commit(repository)
    git(repository, "tag", "-a", "-m", "x", "tree", "HEAD^{tree}")
    assert variables(repository)["GIT_TAG"] == ""


def test_the_newest_of_several_tags(repository: Path) -> None:
    commit(repository)
    for name in ("v1.9.0", "v1.10.0", "v1.10.0-rc1", "v1.2.0"):
        git(repository, "tag", name)
    assert variables(repository)["GIT_TAG"] == "v1.10.0"


def test_the_tag_of_the_ci_job_wins_over_others_at_the_commit(repository: Path) -> None:
    commit(repository)
    for name in ("v1", "v2"):
        git(repository, "tag", name)
    assert variables(repository, CI_COMMIT_TAG="v1")["GIT_TAG"] == "v1"
    assert variables(repository, CI_COMMIT_TAG="v7")["GIT_TAG"] == "v2"


def test_work_tree(repository: Path, tmp_path: Path) -> None:
    commit(repository)
    git(repository, "worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"))
    sha = commit(tmp_path / "tree", "two")
    git(tmp_path / "tree", "tag", "v5")
    expected = {"GIT_SHA": sha, "GIT_SHORT_SHA": sha[:7], "GIT_BRANCH": "other", "GIT_TAG": "v5"}
    assert variables(tmp_path / "tree") == expected


def test_submodule(repository: Path, tmp_path: Path) -> None:
    commit(repository, "outer")
    inner = tmp_path / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    sha = commit(inner, "inner")
    git(repository, "submodule", "add", "-q", str(inner), "library")
    assert (repository / "library/.git").is_file()
    assert variables(repository / "library")["GIT_SHA"] == sha


def test_sha256_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256")
    sha = commit(tmp_path)
    git(tmp_path, "tag", "-a", "-m", "x", "v1")
    assert variables(tmp_path) == {"GIT_SHA": sha, "GIT_SHORT_SHA": sha[:7], "GIT_BRANCH": "main", "GIT_TAG": "v1"}
    git(tmp_path, "repack", "-adq")
    assert variables(tmp_path)["GIT_TAG"] == "v1"


def test_no_repository_takes_the_word_of_the_ci(tmp_path: Path) -> None:
    assert set(variables(tmp_path).values()) == {""}
    github = {"GITHUB_SHA": "a" * 40, "GITHUB_REF_NAME": "main", "GITHUB_REF_TYPE": "branch"}
    assert variables(tmp_path, **github) == {
        "GIT_SHA": "a" * 40,
        "GIT_SHORT_SHA": "a" * 7,
        "GIT_BRANCH": "main",
        "GIT_TAG": "",
    }
    tag = variables(tmp_path, GITHUB_REF_NAME="v1", GITHUB_REF_TYPE="tag")
    assert (tag["GIT_BRANCH"], tag["GIT_TAG"]) == ("", "v1")
    pull = variables(tmp_path, GITHUB_REF_NAME="7/merge", GITHUB_REF_TYPE="branch", GITHUB_HEAD_REF="topic")
    assert pull["GIT_BRANCH"] == "topic"
    assert variables(tmp_path, BUILD_SOURCEBRANCH="refs/heads/x/y")["GIT_BRANCH"] == "x/y"
    assert variables(tmp_path, GIT_SHA="b" * 40)["GIT_SHORT_SHA"] == "b" * 7


def test_reasons(tmp_path: Path, repository: Path) -> None:
    assert "no git repository" in GitVariables(tmp_path, {}).why_missing("GIT_SHA")
    assert "no commit" in GitVariables(repository, {}).why_missing("GIT_SHA")
    commit(repository)
    assert "no tag stands" in GitVariables(repository, {}).why_missing("GIT_TAG")
    git(repository, "checkout", "-q", "--detach")
    assert "no branch" in GitVariables(repository, {}).why_missing("GIT_BRANCH")


@pytest.mark.parametrize(
    "content", ["", "ref: refs/heads/../../../../etc/passwd", "ref: /etc/passwd", "ref: HEAD", "nonsense", "\0" * 9]
)
def test_a_broken_head_is_no_commit(repository: Path, content: str) -> None:
    commit(repository)
    (repository / ".git/HEAD").write_text(content)
    assert variables(repository)["GIT_SHA"] == ""


def test_broken_objects_are_no_tags(repository: Path) -> None:
    commit(repository)
    git(repository, "tag", "-a", "-m", "x", "v1")
    sha = (repository / ".git/refs/tags/v1").read_text().strip()
    path = repository / ".git/objects" / sha[:2] / sha[2:]
    path.chmod(0o600)
    path.write_bytes(b"nonsense")
    assert variables(repository)["GIT_TAG"] == ""
    path.unlink()
    pack = repository / ".git/objects/pack"
    (pack / "pack-1.idx").write_bytes(b"\xfftOc\0\0\0\2" + b"\xff" * 2000)
    (pack / "pack-1.pack").write_bytes(b"\xff" * 70)
    assert variables(repository)["GIT_TAG"] == ""


def test_a_broken_pack_is_no_tag(repository: Path) -> None:
    commit(repository)
    git(repository, "tag", "-a", "-m", "x", "v1")
    git(repository, "repack", "-adq")
    assert variables(repository)["GIT_TAG"] == "v1"
    (pack,) = (repository / ".git/objects/pack").glob("*.pack")
    whole = pack.read_bytes()
    pack.chmod(0o600)
    for broken in (b"", whole[:20], whole[:12] + b"\xff" * 200, whole[:12] + b"\x60" * 200, whole[:12] + b"\x70" * 200):
        pack.write_bytes(broken)
        assert variables(repository)["GIT_TAG"] == ""
