"""An optional part: the image that `docker-container` nodes run, compiled from source where Go is at hand."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from lab.errors import LabError
from lab.images import Repository
from lab.process import run

if TYPE_CHECKING:
    from pathlib import Path

    from lab.setting import Lab

IMAGE = ("moby/buildkit", "buildx-stable-1")  # what buildx asks for when no other image is named
MODULE = "github.com/moby/buildkit"
VERSION = "v0.32.2"
PROGRAMS = ("buildkitd", "buildctl")
COMPILING_MAY_TAKE = 3600  # seconds; 2 minutes of processor time were measured, on a busy machine 8 minutes
DOCKERFILE = """\
FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends runc git && rm -rf /var/lib/apt/lists/*
COPY bin/ /usr/bin/
VOLUME /var/lib/buildkit
ENTRYPOINT ["buildkitd"]
"""


def has_image(lab: Lab) -> bool:
    name, tag = IMAGE
    return Repository(lab.registry.host, name).has(tag)


def provide_image(lab: Lab) -> None:
    """Compile and push; raises LabError where there is no Go, which a caller may take as `not to be had here`."""
    folder = lab.home.root / "buildkit"
    if not all((folder / "bin" / program).exists() for program in PROGRAMS):
        compile_programs(folder)
    (folder / "Dockerfile").write_text(DOCKERFILE)
    name, tag = IMAGE
    output = f"type=image,name={lab.registry.host}/{name}:{tag},push=true"
    words = ["docker", "buildx", "build", "--provenance=false", "--output", output, str(folder)]
    run(words, environment=lab.environment)


def compile_programs(folder: Path) -> None:
    """By a module of our own: buildkit's has exclude directives, with which `go install` refuses it."""
    if not shutil.which("go"):
        raise LabError(
            "the buildkit image needs a Go toolchain", hint="install Go, or do without docker-container nodes"
        )
    folder.mkdir(parents=True, exist_ok=True)
    packages = [f"{MODULE}/cmd/{program}" for program in PROGRAMS]
    (folder / "go.mod").write_text("module lab.test/buildkit\n\ngo 1.25\n")
    go = ["go", "-C", str(folder)]
    run([*go, "get", *(f"{package}@{VERSION}" for package in packages)])
    static = {"CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false"}
    named = f"-s -w -X {MODULE}/version.Version={VERSION}"
    words = [*go, "build", "-trimpath", "-ldflags", named, "-o", "bin/", *packages]
    run(words, environment=static, timeout=COMPILING_MAY_TAKE)
