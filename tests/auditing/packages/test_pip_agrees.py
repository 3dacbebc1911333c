"""pip itself as the judge: over a local index with releases of every kind, mabuild says what pip would install."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.auditing.packages.environment import Environment
from orchestrator.auditing.packages.releases import Policy, by_version, offer
from orchestrator.core.packages import Availability, ReleaseFile
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from tests.faults.package_index import PackageIndex

INTERPRETERS = (
    "cp312-cp312", "cp311-cp311", "cp313-cp313", "cp39-abi3", "cp312-abi3", "cp313-abi3", "py3-none", "cp312-none",
    "py2-none", "py2.py3-none", "py312-none", "cp312-cp312t", "pp310-pypy310_pp73",
)  # fmt: skip
SYSTEMS = ("manylinux_2_17_{}.manylinux2014_{}", "manylinux2014_{}", "manylinux_2_28_{}", "manylinux_2_36_{}",
           "manylinux_2_39_{}", "musllinux_1_1_{}", "musllinux_1_2_{}", "linux_{}", "any", "win_amd64",
           "macosx_11_0_arm64", "manylinux2010_x86_64", "manylinux1_x86_64")  # fmt: skip
REQUIRES = ("", "", "", ">=3.9", ">=3.13", "<3.12", ">=3.9,<3.13")
BUILDS = ("", "", "", "-1", "-2test")
PLACES = {
    "glibc": (Environment("3.12", "glibc", (2, 36)), [f"manylinux_2_{minor}" for minor in range(36, 4, -1)]),
    "musl": (Environment("3.12", "musl", (1, 2)), [f"musllinux_1_{minor}" for minor in (2, 1, 0)]),
}
OLD = {"x86_64": ["manylinux2014", "manylinux2010", "manylinux1"], "aarch64": ["manylinux2014"]}


@pytest.fixture(scope="module")
def index() -> Iterator[PackageIndex]:
    """A hundred projects of one release, each with some wheels; the same ones every time."""
    chance = random.Random(8)
    with PackageIndex() as index:
        for number in range(100):
            for _ in range(chance.randint(1, 8)):
                architecture = chance.choice(("x86_64", "aarch64"))
                system = chance.choice(SYSTEMS).replace("{}", architecture)
                build, interpreter = chance.choice(BUILDS), chance.choice(INTERPRETERS)
                name = f"project{number}-1.0{build}-{interpreter}-{system}.whl"
                if f"/files/{name}" in index.static:
                    continue
                content, requires = wheel(f"project{number}", name), chance.choice(REQUIRES)
                index.add(f"project{number}", name, requires=requires, yanked=chance.random() < 0.1, content=content)
        yield index


def wheel(project: str, name: str) -> bytes:
    """The least that pip takes for a wheel."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        folder = f"{project}-1.0.dist-info"
        archive.writestr(f"{folder}/METADATA", f"Metadata-Version: 2.1\nName: {project}\nVersion: 1.0\n")
        archive.writestr(f"{folder}/WHEEL", f"Wheel-Version: 1.0\nTag: {name[:-4].split('-', 2)[2]}\n")
        archive.writestr(f"{folder}/RECORD", "")
    return out.getvalue()


def pip(index: PackageIndex, projects: list[str], tags: list[str], folder: Path) -> tuple[dict[str, str], str]:
    """The file that pip chooses for each project, and what it says where it finds none."""
    report = folder / "report.json"
    argv = [
        sys.executable, "-m", "pip", "install", "--isolated", "--quiet", "--dry-run", "--ignore-installed", "--no-deps",
        "--no-cache-dir", "--only-binary=:all:", "--python-version=3.12.99", "--implementation=cp",
        f"--index-url={index.url}", f"--target={folder}", f"--report={report}", *(f"--platform={tag}" for tag in tags),
    ]  # fmt: skip
    wanted = [f"{project}==1.0" for project in projects]
    done = subprocess.run([*argv, *wanted], capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        return {}, done.stderr
    entries = json.loads(report.read_text(encoding="utf-8"))["install"]
    return {one["metadata"]["name"]: one["download_info"]["url"].rpartition("/")[2] for one in entries}, ""


@pytest.mark.parametrize("platform", [LINUX_AMD64, LINUX_ARM64], ids=str)
@pytest.mark.parametrize("libc", PLACES)
def test_the_same_choice(index: PackageIndex, tmp_path: Path, libc: str, platform: Platform) -> None:
    environment, systems = PLACES[libc]
    architecture = "x86_64" if platform == LINUX_AMD64 else "aarch64"
    old = OLD[architecture] if libc == "glibc" else []
    tags = [f"{system}_{architecture}" for system in (*systems, *old, "linux")]
    chosen: dict[str, str] = {}
    refused: list[str] = []
    for project, entries in index.projects.items():
        files = [ReleaseFile(one.name, one.sha256, one.requires, one.yanked) for one in entries]
        (release,) = by_version(files, project).values()
        found = offer(release, environment, platform, Policy())
        if found.verdict is Availability.BUILT:
            chosen[project] = found.file
        else:
            refused.append(project)
    assert len(chosen) > 15
    assert len(refused) > 10
    files_of_pip, said = pip(index, list(chosen), tags, tmp_path)
    assert not said
    assert files_of_pip == chosen
    for project in refused[:2]:
        assert "No matching distribution" in pip(index, [project], tags, tmp_path)[1]
