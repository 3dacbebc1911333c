"""Manifests that are right: what they become, which files are read, and that large ones are read quickly."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from orchestrator.core.errors import Exit, ManifestError, UsageError
from orchestrator.core.fleet import (
    Attest,
    Cache,
    CacheType,
    Emulation,
    EmulationPolicy,
    Fleet,
    Level,
    NodeSpec,
    Place,
    Publish,
    RegistrySettings,
    Scope,
    Secret,
    Service,
    Tls,
    VerifyPolicy,
)
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.core.reference import Reference
from orchestrator.manifest.load import load

ARM_V7 = Platform.parse("linux/arm/v7")
FULL = (Path(__file__).parent / "full.yaml").read_text()
ENVIRONMENT = {"GIT_SHORT_SHA": "abc1234", "TOKEN": "t", "HOME": "/home/me"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("base", "api"):
        (tmp_path / "dockerfiles" / name).mkdir(parents=True)
        (tmp_path / "dockerfiles" / name / "Dockerfile").write_text("FROM scratch\n")
    (tmp_path / "manifests").mkdir()
    return tmp_path


def fleet_of(project: Path, text: str = FULL, **environment: str) -> Fleet:
    (project / "manifests" / "fleet.yaml").write_text(text)
    return load((), environment={**ENVIRONMENT, **environment}, directory=project)


def service_of(project: Path, keys: str, before: str = "", **environment: str) -> Service:
    text = f"version: 1\n{before}\nservices:\n  api:\n    context: ../dockerfiles/api\n    {keys}\n"
    return fleet_of(project, text, **environment).service("api")


def test_every_key(project: Path) -> None:
    fleet = fleet_of(project)
    folder = project / "manifests"
    assert fleet.service("api") == Service(
        name="api",
        place=Place("manifests/fleet.yaml", 15, 3),
        images=(Reference("ghcr.io", "acme/api"), Reference("docker.io", "acme/api")),
        tags=("abc1234", "latest"),
        platforms=(LINUX_AMD64, LINUX_ARM64, ARM_V7),
        context=project / "dockerfiles/api",
        dockerfile=project / "dockerfiles/api/Dockerfile",
        target="runtime",
        args=(
            ("PYTHON", "3.20"),
            ("DEBUG", "no"),
            ("VERSION", "1.2.3"),
            ("PORTS", "22:22"),
            ("FLAG", "on"),
            ("TOKEN", "t"),
        ),
        labels=(("team", "inference"), ("a", "b=c"), ("empty", "")),
        annotations=(("index:team", "x"),),
        contexts=(("base", "service:base"), ("debian", "docker-image://debian:13"), ("here", str(folder))),
        depends_on=("base",),
        secrets=(
            Secret("npmrc", env="NPMRC"),
            Secret("key", file=str(folder / "secrets/key")),
            Secret("other", file="/etc/other"),
        ),
        ssh=("default", f"deploy={folder}/keys/id", "home=/home/me/.ssh/id"),
        emulation=EmulationPolicy(Emulation.WARN, ((ARM_V7, Emulation.ALLOW),)),
        timeout=5400.0,
        cache=Cache(CacheType.REGISTRY, "ghcr.io/acme/cache"),
        attest=Attest("max", sbom=True),
        audit_ignore=("MA104",),
        verify=VerifyPolicy(Level.ENTRYPOINT, (("api", "--version"), ("api", "5")), ("usr/share/firmware/**",)),
        max_age=7 * 86400.0,
    )
    assert fleet.nodes == (
        NodeSpec("here", "docker", place=Place("manifests/fleet.yaml", 38, 5)),
        NodeSpec(
            "arm",
            "remote",
            "tcp://10.0.0.7:1234",
            (LINUX_ARM64,),
            Tls(str(folder / "ca.pem"), str(folder / "c.pem"), "/etc/k.pem"),
            parallel=2,
            place=Place("manifests/fleet.yaml", 39, 5),
        ),
        NodeSpec(
            "farm",
            "kubernetes",
            driver_options=(("namespace", "build"), ("replicas", "4")),
            place=Place("manifests/fleet.yaml", 45, 5),
        ),
    )
    assert fleet.runners == (
        ("default", "ubuntu-24.04"),
        ("linux/arm64", "self-hosted,linux,ARM64"),
        ("linux/arm", "pi"),
        ("linux", "any"),
    )
    assert fleet.publish == Publish(Scope.SERVICE, rollback=False, monotonic=("latest",))
    settings = RegistrySettings("localhost:5000", http=True, ca=str(folder / "ca.pem"), mirrors=("mirror.example.com",))
    assert fleet.registries == (settings,)
    assert fleet.files == ("manifests/fleet.yaml",)


def test_what_is_not_said(project: Path) -> None:
    service = service_of(project, "image: acme/api")
    assert service == Service(
        name="api",
        place=Place("manifests/fleet.yaml", 4, 3),
        images=(Reference("docker.io", "acme/api"),),
        tags=("latest",),
        platforms=(LINUX_AMD64, LINUX_ARM64),
        context=project / "dockerfiles/api",
        dockerfile=project / "dockerfiles/api/Dockerfile",
    )


@pytest.mark.parametrize(
    ("image", "name"),
    [
        ("api", "ghcr.io/acme/api"),
        ("team/api", "ghcr.io/acme/team/api"),
        ("docker.io/acme/api", "docker.io/acme/api"),
        ("localhost/api", "localhost/api"),
        ("localhost:5000/api", "localhost:5000/api"),
        ("r.example.com/api", "r.example.com/api"),
    ],
)
def test_the_prefix_is_for_images_without_a_host(project: Path, image: str, name: str) -> None:
    assert service_of(project, f"image: {image}", "registry: ghcr.io/acme/").images[0].name == name


@pytest.mark.parametrize("value", ["3.10", "no", "22:22", "1e3", "0x10", "010", "1_000", "2024-01-02", "True", ".5"])
def test_plain_texts_stay_as_they_are_written(project: Path, value: str) -> None:
    assert service_of(project, f"image: a/b\n    args: {{KEY: {value}}}").args == (("KEY", value),)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90.0), ("40m", 2400.0), ("1h30m", 5400.0), ("500ms", 0.5), ("1.5h", 5400.0), ("2d", 172800.0)],
)
def test_durations(project: Path, text: str, seconds: float) -> None:
    assert service_of(project, f"image: a/b\n    timeout: {text}").timeout == seconds


def test_arguments_without_a_value_come_from_the_environment_and_git(project: Path) -> None:
    service = service_of(
        project, "image: a/b\n    args: [SET, EMPTY, UNSET, GIT_SHA, A=b]", SET="1", EMPTY="", GIT_SHA="c"
    )
    assert service.args == (("SET", "1"), ("EMPTY", ""), ("GIT_SHA", "c"), ("A", "b"))


def test_paths_of_caches_and_layouts_are_relative_to_the_manifest(project: Path) -> None:
    text = "image: a/b\n    cache: {type: local, ref: c}\n    contexts: [l=oci-layout://l:1, u=https://example.com/x]"
    service = service_of(project, text)
    folder = project / "manifests"
    assert service.cache == Cache(CacheType.LOCAL, str(folder / "c"))
    assert service.contexts == (("l", f"oci-layout://{folder}/l:1"), ("u", "https://example.com/x"))


def test_a_tag_that_becomes_empty_is_left_out(project: Path) -> None:
    assert service_of(project, 'image: a/b\n    tags: ["${GIT_TAG:-}", a, "${NONE-a}"]').tags == ("a",)


def test_a_variable_may_stand_for_any_value(project: Path) -> None:
    text = 'image: a/b\n    attest: {sbom: "${SBOM}"}\n    platforms: ["${P}"]\n    emulation: ${E}'
    service = service_of(project, text, SBOM="true", P="linux/arm64", E="forbid")
    assert (service.attest.sbom, service.platforms) == (True, (LINUX_ARM64,))
    assert service.emulation.of(LINUX_ARM64) is Emulation.FORBID


def test_what_a_variable_holds_is_not_read_as_yaml(project: Path) -> None:
    service = service_of(project, "image: a/b\n    target: ${T}", T="[a, {b: c}]\nevil: true")
    assert service.target == "[a, {b: c}]\nevil: true"


def test_extensions_are_allowed_and_a_service_may_begin_with_x(project: Path) -> None:
    text = """version: 1
x-common: &common {context: ../dockerfiles/api, x-note: 1}
services:
  x-ray:
    <<: *common
    image: acme/ray
    labels: {x-label: kept}
    verify: {x-why: text, level: full}
defaults: {x-y: z}
"""
    service = fleet_of(project, text).service("x-ray")
    assert service.labels == (("x-label", "kept"),)
    assert service.verify.level is Level.FULL


def test_defaults_may_stand_in_another_file(project: Path) -> None:
    (project / "manifests" / "a.yaml").write_text(
        "version: 1\nservices:\n  api: {image: api, context: ../dockerfiles/api}\n"
    )
    (project / "other").mkdir()
    (project / "other" / "z.yml").write_text(
        "version: 1\nregistry: ghcr.io/acme\ndefaults: {secrets: [{id: a, file: key}], cache: {type: local, ref: c}}\n"
    )
    fleet = load(("manifests", "other/"), environment={}, directory=project)
    service = fleet.service("api")
    assert service.images[0].name == "ghcr.io/acme/api"
    assert service.secrets == (Secret("a", file=str(project / "other/key")),)
    assert service.cache == Cache(CacheType.LOCAL, str(project / "other/c"))
    assert fleet.files == ("manifests/a.yaml", "other/z.yml")


def test_the_same_file_named_twice_is_read_once(project: Path) -> None:
    path = project / "manifests" / "fleet.yaml"
    path.write_text(FULL)
    (project / "manifests" / ".hidden.yaml").write_text("nonsense")
    (project / "manifests" / "readme.txt").write_text("nonsense")
    fleet = load(
        ("manifests", "manifests/../manifests/fleet.yaml", str(path)), environment=ENVIRONMENT, directory=project
    )
    assert [service.name for service in fleet.services] == ["base", "api"]
    assert fleet.files == ("manifests/fleet.yaml",)


def test_mabuild_yaml_comes_before_the_folder(project: Path) -> None:
    (project / "manifests" / "fleet.yaml").write_text("nonsense")
    (project / "mabuild.yaml").write_text("version: 1\nnodes: [{name: here, driver: docker}]\n")
    assert load((), environment={}, directory=project).files == ("mabuild.yaml",)


def test_too_many_files(project: Path) -> None:
    for number in range(1001):
        (project / "manifests" / f"{number}.yaml").touch()
    with pytest.raises(UsageError, match="1,001"):
        load((), environment={}, directory=project)


@pytest.mark.parametrize("given", [(), ("manifests",), ("none.yaml",), ("a" * 5000,)])
def test_nothing_there(project: Path, given: tuple[str, ...]) -> None:
    if not given:
        (project / "manifests").rmdir()
    with pytest.raises(UsageError) as caught:
        load(given, environment={}, directory=project)
    assert caught.value.exit_code is Exit.USAGE
    assert caught.value.hint


@pytest.mark.parametrize(
    ("content", "line", "column", "word"),
    [
        (b"version: 1\nregistry: gr\xfcn\n", 2, 13, "0xFC"),
        ("version: ü\n".encode() + b"\xff", 2, 1, "0xFF"),
        ("version: 1\n".encode("utf-16"), 1, 1, "not UTF-8"),
        (b"\x00\x01\x02", 1, 1, "U+0000"),
        (b"a: [" * 100_000, 1, 129, "deeper than 64"),
        (b"[" * 4_000_000, 1, 1001, "deeper than 64"),
        (b"- a\n" * 300_000, 1, 1, "200,000"),
        (b"x" * (50 << 20), 1, 1, "larger than 4 MiB"),
    ],
    ids=["latin-1", "end", "utf-16", "binary", "deep map", "deep list", "many values", "50 MB"],
)
def test_hostile_files_are_refused_quickly(project: Path, content: bytes, line: int, column: int, word: str) -> None:
    (project / "mabuild.yaml").write_bytes(content)
    start = time.process_time()
    with pytest.raises(ManifestError) as caught:
        load((), environment={}, directory=project)
    assert time.process_time() - start < 5
    (finding,) = caught.value.findings
    assert word in finding.message
    if word != "200,000":
        assert (finding.path, finding.line, finding.column) == ("mabuild.yaml", line, column)


def test_a_byte_order_mark_and_windows_line_ends(project: Path) -> None:
    text = "\ufeffversion: 1\nservices:\n  api:\n    image: a/b\n    context: dockerfiles/api\n    tags: ['a b']\n"
    (project / "mabuild.yaml").write_bytes(text.replace("\n", "\r\n").encode())
    with pytest.raises(ManifestError) as caught:
        load((), environment={}, directory=project)
    (finding,) = caught.value.findings
    assert (finding.line, finding.column) == (6, 12)


def test_a_hundred_services_are_read_in_a_moment(project: Path) -> None:
    service = """  service-{0}:
    image: service-{0}
    context: ../dockerfiles/api
    args: {{VERSION: "1.{0}", REVISION: "${{GIT_SHORT_SHA}}"}}
    labels: {{team: inference}}
    depends_on: [service-{1}]
    platforms: [linux/amd64, linux/arm64, linux/arm/v7]
    emulation: {{linux/arm/v7: allow}}
    verify: {{level: entrypoint, run: [["service-{0}", "--version"]]}}
"""
    services = "".join(service.format(number, max(number - 1, 0)) for number in range(100))
    text = f"version: 1\nregistry: ghcr.io/acme\nservices:\n{services}"
    assert len(fleet_of(project, text).services) == 100
    start = time.process_time()
    fleet_of(project, text)
    assert time.process_time() - start < 0.3
