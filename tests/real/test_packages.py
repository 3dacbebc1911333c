"""Ten well-known packages, which this project itself is made with, over the index that pip and uv are set up with.

What mabuild says is compared with what pip chooses; without an index the test says so and is left out.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.calling import call, write

pytestmark = pytest.mark.real
NAMES = (
    "coverage", "dockerfile", "mypy", "packaging", "pydantic-core", "pyyaml", "rich", "ruff", "tree-sitter", "urllib3",
)  # fmt: skip
LOCK = Path(__file__).parent.parent.parent / "requirements" / "dev.txt"
OLDEST, NEWEST = 17, 36
PLATFORMS = {"linux/amd64": "x86_64", "linux/arm64": "aarch64"}


def pins() -> list[str]:
    found = dict(re.findall(r"^([a-z0-9-]+)==([^\s;\\]+)", LOCK.read_text(encoding="utf-8"), re.MULTILINE))
    return [f"{name}=={found[name]}" for name in NAMES]


def chosen_by_pip(wanted: list[str], architecture: str, folder: Path) -> set[str]:
    """The files that pip would install for glibc 2.36 and Python 3.12."""
    tags = [f"manylinux_2_{minor}_{architecture}" for minor in range(NEWEST, OLDEST - 1, -1)]
    tags += [f"manylinux2014_{architecture}", f"linux_{architecture}"]
    report = folder / "report.json"
    argv = [
        sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--no-deps",
        "--only-binary=:all:", "--python-version=3.12", f"--target={folder}", f"--report={report}",
        *(f"--platform={tag}" for tag in tags),
    ]  # fmt: skip
    done = subprocess.run([*argv, *wanted], capture_output=True, text=True, check=False, timeout=200)
    if done.returncode:
        missing = re.search(r"No matching distribution found for (\S+)", done.stderr)
        assert missing, done.stderr
        return chosen_by_pip([one for one in wanted if one != missing[1]], architecture, folder)
    entries = json.loads(report.read_text(encoding="utf-8"))["install"]
    return {entry["download_info"]["url"].rpartition("/")[2] for entry in entries}


def test_verdicts_are_what_pip_does(tmp_path: Path) -> None:
    files = {
        "Dockerfile": "FROM python:3.12-slim-bookworm\nCOPY pins.txt .\nRUN pip install --no-deps -r pins.txt\n",
        "pins.txt": "\n".join(pins()) + "\n",
    }
    environment = {**os.environ, "MABUILD_CACHE": str(tmp_path / "cache")}
    called = call(write(tmp_path, files), "packages", "Dockerfile", "--format", "json", environment=environment)
    document = json.loads(called.out)
    if document["not_checked"]:
        pytest.skip(f"no index answers here: {document['not_checked'][0]}")
    for platform, architecture in PLATFORMS.items():
        offers = [one["platforms"][platform] for one in document["packages"]]
        built = {offer["file"] for offer in offers if offer["verdict"] == "built"}
        assert built == chosen_by_pip(pins(), architecture, tmp_path)
        assert len(offers) == len(NAMES)
