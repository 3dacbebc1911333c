"""What stands for the actions of others: each does the least that our workflows need of it."""

from __future__ import annotations

import fnmatch
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Outputs = dict[str, str]


@dataclass(slots=True)
class Place:
    """Where a job runs: folders of its own, the machine's variables, and what the whole run shares."""

    workspace: Path
    temporary: Path
    environment: dict[str, str]
    repository: Path
    artifacts: Path
    used: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)


def checkout(place: Place, inputs: Mapping[str, str]) -> Outputs:
    """actions/checkout: a clone of its own."""
    assert inputs["persist-credentials"] == "false"
    command = ["git", "clone", "--quiet", str(place.repository), str(place.workspace)]
    subprocess.run(command, check=True, timeout=60)
    return {}


def upload(place: Place, inputs: Mapping[str, str]) -> Outputs:
    """actions/upload-artifact."""
    target = place.artifacts / inputs["name"]
    assert "/" not in inputs["name"]
    files = _files(inputs["path"])
    if not files:
        assert inputs.get("if-no-files-found") == "ignore", f"no files in {inputs['path']}"
        return {}
    if target.exists():
        assert inputs.get("overwrite") == "true", f"the artifact {target.name} is there already"
        shutil.rmtree(target)
    target.mkdir(parents=True)
    for file in files:
        shutil.copy(file, target)
    return {}


def _files(path: str) -> list[Path]:
    found = Path(path)
    return sorted(found.parent.glob(found.name)) if "*" in found.name else [found] * found.is_file()


def download(place: Place, inputs: Mapping[str, str]) -> Outputs:
    """actions/download-artifact, all into one folder."""
    assert inputs["merge-multiple"] == "true"
    target = Path(inputs["path"])
    target.mkdir(parents=True, exist_ok=True)
    for artifact in sorted(place.artifacts.iterdir()):
        if fnmatch.fnmatch(artifact.name, inputs["pattern"]):
            shutil.copytree(artifact, target, dirs_exist_ok=True)
    return {}


def nothing(_: Place, __: Mapping[str, str]) -> Outputs:
    """What the lab has done already, or what needs GitHub."""
    return {}


STAND_INS: dict[str, Callable[[Place, Mapping[str, str]], Outputs]] = {
    "actions/checkout": checkout,
    "actions/upload-artifact": upload,
    "actions/download-artifact": download,
    "actions/github-script": nothing,
    "docker/login-action": nothing,
    "docker/setup-buildx-action": nothing,
    "docker/setup-qemu-action": nothing,
}
