"""The command line of one build, and one real build with a failure and a stop."""

from __future__ import annotations

import os
import threading
import uuid
from pathlib import Path

import pytest

from lab.home import Home
from lab.setting import Lab
from orchestrator.buildx.build import BuildFailedError, BuildRequest, Buildx, Limits, StalledError, arguments
from orchestrator.buildx.output import Output, PushByDigest, PushTag
from orchestrator.buildx.process import Processes, StoppedError
from orchestrator.core.errors import BuildError
from orchestrator.core.event import Event, Line, Step
from orchestrator.core.fleet import Attest, Secret
from orchestrator.core.image import OCI_INDEX
from orchestrator.core.platform import LINUX_ARM64
from orchestrator.core.reference import Reference
from orchestrator.registry.client import RegistryClient

REQUEST = BuildRequest(
    task="api@linux/arm64",
    builder="lab",
    context="/src",
    dockerfile="/src/Dockerfile",
    platform=LINUX_ARM64,
    output=PushByDigest(("localhost:5000/a",)),
)


def test_the_least_command_line() -> None:
    found = list(arguments(REQUEST, "/tmp/m.json"))
    assert found[:3] == ["docker", "buildx", "build"]
    assert found[-1] == "/src"
    assert option(found, "--builder") == ["lab"]
    assert option(found, "--platform") == ["linux/arm64"]
    assert option(found, "--progress") == ["rawjson"]
    assert "--provenance=mode=min" in found
    assert "--sbom=false" in found
    assert "--tag" not in found


def test_everything_that_a_service_can_ask_for() -> None:
    request = BuildRequest(
        task="api@linux/arm64",
        builder="lab",
        context="/src",
        dockerfile="/src/Dockerfile",
        platform=LINUX_ARM64,
        output=REQUEST.output,
        target="runtime",
        args=(("A", "1=2"), ("B", "")),
        labels=(("l", "x y"),),
        annotations=(("n", "v"),),
        contexts=(("base", "docker-image://r/base@sha256:0"),),
        secrets=(Secret("npm", env="NPM_TOKEN"), Secret("key", file="/k,ey")),
        ssh=("default",),
        cache_from=("type=registry,ref=a",),
        cache_to=("type=registry,ref=a,mode=max",),
        attest=Attest("false", sbom=True),
        no_cache=True,
        pull=True,
    )
    found = list(arguments(request, "m"))
    assert option(found, "--build-arg") == ["A=1=2", "B="]
    assert option(found, "--label") == ["l=x y"]
    assert option(found, "--annotation") == ["n=v"]
    assert option(found, "--build-context") == ["base=docker-image://r/base@sha256:0"]
    assert option(found, "--secret") == ["id=npm,env=NPM_TOKEN", 'id=key,"src=/k,ey"']
    assert option(found, "--ssh") == ["default"]
    assert option(found, "--cache-from") == ["type=registry,ref=a"]
    assert option(found, "--cache-to") == ["type=registry,ref=a,mode=max"]
    assert {"--provenance=false", "--sbom=true", "--no-cache", "--pull"} <= set(found)


def option(arguments: list[str], name: str) -> list[str]:
    return [arguments[place + 1] for place, word in enumerate(arguments) if word == name]


def docker_that(tmp_path: Path, script: str) -> Buildx:
    """A door whose `docker` is a script: for what no real docker does on demand."""
    program = tmp_path / "docker"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return Buildx({"PATH": f"{tmp_path}:/usr/bin:/bin"}, Processes())


def test_a_build_without_a_digest_is_an_error(tmp_path: Path) -> None:
    write = 'while [ "$1" != --metadata-file ]; do shift; done; echo "{}" > "$2"'
    with pytest.raises(BuildError, match="no digest"):
        docker_that(tmp_path, write).build(REQUEST, lambda _: None, Limits())
    with pytest.raises(BuildError, match="no readable metadata"):
        docker_that(tmp_path, "true").build(REQUEST, lambda _: None, Limits())


def test_a_build_that_gives_no_sign_of_life_is_stopped_with_what_it_exported(tmp_path: Path) -> None:
    digest = f"sha256:{'a' * 64}"
    status = f'{{"statuses":[{{"id":"exporting manifest list {digest}","vertex":"v"}}]}}'
    with pytest.raises(StalledError, match="no sign of life") as caught:
        docker_that(tmp_path, f"echo '{status}'; sleep 30").build(REQUEST, lambda _: None, Limits(silence=0.5))
    assert caught.value.exported == digest


def test_a_build_over_its_time_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(StalledError, match="took longer than"):
        docker_that(tmp_path, "while :; do echo '{}'; sleep 0.1; done").build(
            REQUEST, lambda _: None, Limits(total=0.5)
        )


def test_the_settings_reach_buildx(tmp_path: Path) -> None:
    with pytest.raises(BuildFailedError, match=r"^disabled$"):
        docker_that(tmp_path, 'echo "ERROR: $BUILDX_METADATA_PROVENANCE"; exit 1').build(
            REQUEST, lambda _: None, Limits()
        )


@pytest.fixture(scope="module")
def lab() -> dict[str, str]:
    return {**os.environ, **Lab.load(Home.from_environment(os.environ)).environment}


def request_for(folder: Path, lines: str, builder: str, output: Output) -> BuildRequest:
    (folder / "Dockerfile").write_text(f"FROM busybox:stable\n{lines}\n")
    return BuildRequest(
        task="t@linux/arm64",
        builder=builder,
        context=str(folder),
        dockerfile=str(folder / "Dockerfile"),
        platform=LINUX_ARM64,
        output=output,
    )


def repository(lab: dict[str, str], name: str) -> str:
    return f"{lab['MABUILD_LAB_REGISTRY']}/building/{name}"


@pytest.mark.real
def test_a_real_build_is_pushed_by_digest_to_two_repositories(lab: dict[str, str], tmp_path: Path) -> None:
    names = (repository(lab, "one"), repository(lab, "two"))
    events: list[Event] = []
    request = request_for(tmp_path, "RUN echo here is $(uname -m)", lab["BUILDX_BUILDER"], PushByDigest(names))
    built = Buildx(lab, Processes()).build(request, events.append, Limits(total=120))
    assert any(isinstance(event, Line) and event.text == "here is aarch64" for event in events) or any(
        isinstance(event, Step) and event.cached and "RUN" in event.name for event in events
    )
    client = RegistryClient((), lab)
    for name in names:
        document = client.manifest(Reference.parse(name).with_digest(built.digest))
        assert document.media_type == OCI_INDEX


@pytest.mark.real
def test_the_docker_driver_pushes_a_staging_tag(lab: dict[str, str], tmp_path: Path) -> None:
    tag = f"{repository(lab, 'staged')}:mabuild-0-linux-arm64"
    built = Buildx(lab, Processes()).build(
        request_for(tmp_path, "COPY Dockerfile /", "default", PushTag((tag,))), lambda _: None, Limits(total=120)
    )
    assert RegistryClient((), lab).resolve(Reference.parse(tag)).digest == built.digest


@pytest.mark.real
def test_a_real_failure_names_the_step_and_the_lines(lab: dict[str, str], tmp_path: Path) -> None:
    request = request_for(
        tmp_path, "RUN echo almost && exit 3", lab["BUILDX_BUILDER"], PushByDigest((repository(lab, "never"),))
    )
    with pytest.raises(BuildFailedError) as caught:
        Buildx(lab, Processes()).build(request, lambda _: None, Limits(total=120))
    failure = caught.value.failure
    assert failure.log == ("almost",)
    assert failure.source[0] == "Dockerfile:2"
    assert "exit code: 3" in failure.message


@pytest.mark.real
def test_a_stop_ends_a_real_build_with_all_its_processes(lab: dict[str, str], tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    request = request_for(
        tmp_path, f"RUN echo {mark}; sleep 100", lab["BUILDX_BUILDER"], PushByDigest((repository(lab, "never"),))
    )
    door = Buildx(lab, Processes())
    running = threading.Event()

    def listen(event: Event) -> None:
        if isinstance(event, Line) and event.text == mark:
            running.set()

    caught: list[BaseException] = []

    def work() -> None:
        try:
            door.build(request, listen, Limits(total=120))
        except StoppedError as error:
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    assert running.wait(60)
    door.stop()
    thread.join(15)
    assert not thread.is_alive()
    assert len(caught) == 1
    assert not any(str(tmp_path) in text for text in command_lines())


def command_lines() -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_text(errors="replace"))
        except OSError:
            continue
    return found
