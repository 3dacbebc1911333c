"""What the shell offers: commands, options, services and platforms."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.calling import write

MANIFEST = """\
version: 1
services:
  api: {image: r.example/api, context: .}
  api-docs: {image: r.example/docs, context: .}
  web: {image: r.example/web, context: ., platforms: [linux/riscv64]}
"""


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    return write(tmp_path, {"mabuild.yaml": MANIFEST, "Dockerfile": "FROM scratch\n"})


def offered(folder: Path, typed: str) -> list[str]:
    """What bash is told for the last word of what is typed."""
    words = typed.split(" ")
    variables = {
        **os.environ,
        "_MABUILD_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(words) - 1),
    }
    command = [sys.executable, "-m", "orchestrator"]
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=30)
    return done.stdout.split()


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("mabuild pl", ["plan"]),
        ("mabuild build --plat", ["--platform"]),
        ("mabuild build w", ["web"]),
        ("mabuild plan api", ["api", "api+", "api-docs"]),
        ("mabuild plan web a", ["api", "api-docs"]),
        ("mabuild plan --platform linux/r", ["linux/riscv64"]),
        ("mabuild plan --platform linux/riscv64,linux/am", ["linux/riscv64,linux/amd64"]),
    ],
)
def test_offers(fleet: Path, typed: str, words: list[str]) -> None:
    assert offered(fleet, typed) == words


def test_without_a_manifest_the_usual_platforms_are_offered(tmp_path: Path) -> None:
    assert "linux/arm64" in offered(tmp_path, "mabuild plan --platform linux/")
    assert offered(tmp_path, "mabuild plan a") == []
