"""The main job on real parts: plan, build, publish, verify; checked by skopeo and pyelftools, not by ourselves."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from tests.real.lab import mabuild, platforms, raw_list, registry, skopeo

pytestmark = pytest.mark.real
BOTH = ["linux/amd64", "linux/arm64"]
MACHINES = {"amd64": "EM_X86_64", "arm64": "EM_AARCH64"}

MANIFEST = """\
version: 1
registry: {registry}/main-job
defaults: {{emulation: allow, tags: ["1.0", latest], attest: {{provenance: min}}}}
services:
  tools: {{image: tools, context: tools}}
  app: {{image: [app, "{registry}/main-job-mirror/app"], context: app, args: {{REGISTRY: "{registry}/main-job"}}}}
  job: {{image: job, context: job, args: {{REGISTRY: "{registry}/main-job"}}, labels: {{stage: last}}}}
"""
DOCKERFILES = {
    "tools": "FROM busybox:stable\nARG TARGETARCH\nRUN echo $TARGETARCH > /arch\n",
    "app": 'ARG REGISTRY\nFROM $REGISTRY/tools\nCOPY app.txt /\nENTRYPOINT ["/bin/busybox", "cat", "/app.txt"]\n',
    "job": "ARG REGISTRY\nFROM $REGISTRY/app AS app\nFROM busybox:stable\nCOPY --from=app /arch /arch-of-app\n",
}


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("main-job")
    (folder / "mabuild.yaml").write_text(MANIFEST.format(registry=registry()))
    for name, text in DOCKERFILES.items():
        (folder / name).mkdir()
        (folder / name / "Dockerfile").write_text(text)
    (folder / "app" / "app.txt").write_text("hello\n")
    done = mabuild(folder, "build", "--push", "--format", "json")
    assert done.code == 0, done.err
    results = done.json
    assert {cell["outcome"] for cell in results["cells"]} <= {"built", "unchanged"}
    assert len(results["cells"]) == 6
    assert all(index["outcome"] in {"built", "unchanged"} for index in results["indexes"])
    return folder


@pytest.mark.parametrize("image", ["main-job/tools", "main-job/app", "main-job/job", "main-job-mirror/app"])
@pytest.mark.parametrize("tag", ["1.0", "latest"])
@pytest.mark.usefixtures("fleet")
def test_each_tag_is_a_list_of_exactly_two_platforms(image: str, tag: str) -> None:
    found = raw_list(f"{registry()}/{image}:{tag}")
    assert found["mediaType"] == "application/vnd.oci.image.index.v1+json"
    assert platforms(f"{registry()}/{image}:{tag}") == BOTH
    subjects = [entry["annotations"].get("vnd.docker.reference.digest") for entry in found["manifests"]]
    images = [entry["digest"] for entry in found["manifests"] if entry["platform"]["os"] != "unknown"]
    assert [subject for subject in subjects if subject] == images, "each image is followed by its attestation"


@pytest.mark.parametrize("architecture", sorted(MACHINES))
@pytest.mark.usefixtures("fleet")
def test_the_files_inside_are_of_the_right_architecture(architecture: str, tmp_path: Path) -> None:
    copy = ("copy", "--src-tls-verify=false", "--override-arch", architecture, "--override-os", "linux")
    skopeo(*copy, f"docker://{registry()}/main-job/app:latest", f"dir:{tmp_path}")
    files: dict[str, bytes] = {}
    for layer in json.loads((tmp_path / "manifest.json").read_text())["layers"]:
        with tarfile.open(tmp_path / layer["digest"].removeprefix("sha256:")) as archive:
            for member in archive:
                content = archive.extractfile(member) if member.isfile() else None
                if content:
                    files[member.name.lstrip("./")] = content.read()
    assert files["arch"] == f"{architecture}\n".encode()
    assert files["app.txt"] == b"hello\n"
    assert ELFFile(io.BytesIO(files["bin/busybox"]))["e_machine"] == MACHINES[architecture]


def test_a_child_is_built_on_its_parent_of_the_same_platform(fleet: Path) -> None:
    assert fleet.exists()
    for architecture in MACHINES:
        where = ("--tls-verify=false", "--override-arch", architecture)
        parent = json.loads(skopeo("inspect", *where, f"docker://{registry()}/main-job/tools:1.0"))
        child = json.loads(skopeo("inspect", *where, f"docker://{registry()}/main-job/app:1.0"))
        assert child["Layers"][: len(parent["Layers"])] == parent["Layers"]


def test_verify_proves_the_fleet(fleet: Path) -> None:
    done = mabuild(fleet, "verify", "--platform", ",".join(BOTH), "--level", "full", "--format", "json")
    assert done.code == 0, done.out
    assert len(done.json["images"]) == 8
    assert {image["verdict"] for image in done.json["images"]} == {"pass"}


def test_verify_misses_a_platform_that_is_wanted(fleet: Path) -> None:
    done = mabuild(fleet, "verify", f"{registry()}/main-job/app:1.0", "--platform", "linux/arm/v7", "--format", "json")
    assert done.code == 1
    assert "MV101" in [finding["rule"] for finding in done.json["images"][0]["findings"]]


def test_plan_names_the_base_with_its_digest(fleet: Path) -> None:
    done = mabuild(fleet, "plan", "--format", "json")
    assert done.code == 0, done.err
    (base,) = done.json["bases"]
    assert base["reference"] == "busybox:stable"
    assert all(digest.startswith("sha256:") for digest in base["platforms"].values())


def test_a_missing_platform_is_known_before_anything_is_built(tmp_path: Path) -> None:
    (tmp_path / "mabuild.yaml").write_text(
        f"version: 1\nregistry: {registry()}/main-job\nservices:\n  only: {{image: only, context: .}}\n"
    )
    (tmp_path / "Dockerfile").write_text(f"# comment\nFROM {registry()}/lab/amd64-only:1\nRUN true\n")
    done = mabuild(tmp_path, "build", "--push")
    assert done.code == 3
    assert "Dockerfile:2" in done.err
    assert "linux/arm64" in done.err
    (tmp_path / "Dockerfile").write_text(f"FROM {registry()}/lab/single-amd64:1\nRUN true\n")
    assert mabuild(tmp_path, "build", "--push").code == 3


def test_a_failed_step_moves_no_tag(tmp_path: Path) -> None:
    (tmp_path / "mabuild.yaml").write_text(
        f"version: 1\nregistry: {registry()}/main-job\ndefaults: {{emulation: allow}}\n"
        "services:\n  broken: {image: broken, context: .}\n"
    )
    (tmp_path / "Dockerfile").write_text("FROM busybox:stable\nRUN echo before && cat /not-there\n")
    done = mabuild(tmp_path, "build", "--push", "--progress", "plain")
    assert done.code == 1
    assert "before" in done.err
    assert "Dockerfile:2" in done.err
    with pytest.raises(Exception, match="returned non-zero"):
        raw_list(f"{registry()}/main-job/broken:latest")


def test_an_engine_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "mabuild.yaml").write_text(
        f"version: 1\nregistry: {registry()}/main-job\nservices:\n  app: {{image: app, context: .}}\n"
    )
    (tmp_path / "Dockerfile").write_text("FROM busybox:stable\n")
    nothing = {"DOCKER_HOST": "unix:///nonexistent.sock", "BUILDX_BUILDER": "default", "BUILDX_CONFIG": str(tmp_path)}
    done = mabuild(tmp_path, "build", "--push", environment=nothing)
    assert done.code == 4
    assert "Traceback" not in done.err
