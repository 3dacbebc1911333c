"""git's word on two commits of a real repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from orchestrator.buildx.ancestry import is_ancestor
from orchestrator.buildx.process import Processes


@pytest.fixture
def commits(tmp_path: Path) -> list[str]:
    def git(*words: str) -> str:
        names = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        done = subprocess.run(["git", *names, *words], cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "-q", "-b", "main")
    found = []
    for word in ("one", "two"):
        git("commit", "-q", "--allow-empty", "-m", word)
        found.append(git("rev-parse", "HEAD"))
    return found


def ask(old: str, new: str, folder: Path) -> tuple[bool, ...]:
    return is_ancestor(old, new, folder, os.environ, Processes())


def test_order(commits: list[str], tmp_path: Path) -> None:
    one, two = commits
    assert ask(one, two, tmp_path) == (True,)
    assert ask(two, two, tmp_path) == (True,)
    assert ask(two, one, tmp_path) == (False,)


def test_what_git_does_not_know(commits: list[str], tmp_path: Path) -> None:
    assert ask("0" * 40, commits[0], tmp_path) == ()
    assert ask("--output=x", commits[0], tmp_path) == ()
    (tmp_path / "sub").mkdir()
    assert ask(commits[0], commits[1], Path("/")) == ()
