"""What `mabuild build` costs over the bare buildx calls for the same cached cells, and beside bake (needs the lab)."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measure import Timing

_SERVICES = 10
_PLATFORMS = ("linux/amd64", "linux/arm64")
_ROUNDS = 3


def write_services(folder: Path, registry: str) -> Path:
    """Independent services of one COPY each, so that everything but orchestration is cached."""
    lines = [
        "version: 1",
        f"registry: {registry}",
        "defaults: {emulation: allow, attest: {provenance: min}}",
        "services:",
    ]
    for number in range(_SERVICES):
        context = folder / f"service{number}"
        context.mkdir()
        (context / "Dockerfile").write_text("FROM busybox:stable\nCOPY app.txt /\nRUN cat /app.txt\n")
        (context / "app.txt").write_text(f"{number}\n")
        lines.append(f"  service{number}: {{image: service{number}, context: service{number}}}")
    manifest = folder / "mabuild.yaml"
    manifest.write_text("\n".join([*lines, ""]))
    return manifest


def bare(folder: Path, registry: str) -> None:
    """The same cells by buildx alone, all side by side, pushed by digest: no list, no tag, no proof."""
    running = []
    for number in range(_SERVICES):
        for platform in _PLATFORMS:
            name = f"{registry}/service{number}"
            output = f"type=image,name={name},push-by-digest=true,name-canonical=true,push=true,store=false"
            command = ["docker", "buildx", "build", "--quiet", "--platform", platform, "--output", output]
            context = str(folder / f"service{number}")
            running.append(subprocess.Popen([*command, context], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    if any([process.wait() for process in running]):  # noqa: C419
        raise RuntimeError("a bare build failed")


def timed_once(work: list[str] | None, folder: Path, registry: str) -> float:
    """Seconds of one command, or of the bare calls."""
    began = time.perf_counter()
    if work is None:
        bare(folder, registry)
    else:
        subprocess.run(work, check=True, capture_output=True, cwd=folder)
    return time.perf_counter() - began


def main() -> None:
    """Print one line a way to build the same."""
    registry = f"{os.environ['MABUILD_LAB_REGISTRY']}/overhead{os.getpid()}"
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        write_services(folder, registry)
        mabuild = [sys.executable, "-m", "orchestrator"]
        bake_file = subprocess.run(
            [*mabuild, "plan", "--format", "bake"], check=True, capture_output=True, cwd=folder
        ).stdout
        (folder / "bake.json").write_bytes(bake_file)
        ways: dict[str, list[str] | None] = {
            "bare buildx calls": None,
            "docker buildx bake --push": ["docker", "buildx", "bake", "-f", "bake.json", "--push"],
            "mabuild build --push --force": [*mabuild, "build", "--push", "--force", "--progress", "quiet"],
            "mabuild build --push, all unchanged": [*mabuild, "build", "--push", "--progress", "quiet"],
        }
        taken: dict[str, list[float]] = {name: [] for name in ways}
        for number in range(_ROUNDS + 1):
            for name, work in ways.items():
                seconds = timed_once(work, folder, registry)
                if number:
                    taken[name].append(seconds)
    first = Timing("", tuple(taken["bare buildx calls"])).median
    for name, values in taken.items():
        median = Timing(name, tuple(values)).median
        print(f"{name}: {median:.2f} s for {_SERVICES * len(_PLATFORMS)} cells, {median / first:.2f} x the bare calls")


if __name__ == "__main__":
    main()
