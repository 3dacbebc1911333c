"""Whether this machine can build what is wanted: one check after another, each with what mends it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from orchestrator.buildx.builderfile import docker_folder
from orchestrator.buildx.builders import last_line
from orchestrator.buildx.drivers import DRIVERS
from orchestrator.buildx.emulators import BINFMT, registrations, state
from orchestrator.buildx.engine import engine_information
from orchestrator.buildx.process import run
from orchestrator.core.errors import MabuildError
from orchestrator.core.plan import Mode, Node
from orchestrator.core.platform import Platform

BUILDX_FLOOR = (0, 13)
"""The first buildx whose progress can be read by machines (`--progress rawjson`)."""
_SECONDS = 10.0
_LEAST_DISK = 10 * 1024**3
_MOST_SKEW = 30.0
_CI = {
    "GITHUB_ACTIONS": "GitHub Actions",
    "GITLAB_CI": "GitLab",
    "BUILDKITE": "Buildkite",
    "JENKINS_URL": "Jenkins",
    "TF_BUILD": "Azure Pipelines",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One fact. `needed` tells whether builds fail without it; `mend` is the command or step that puts it right."""

    name: str
    ok: bool
    detail: str
    mend: str = ""
    needed: bool = True


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the checks look at: surroundings, the nodes as they were found, the platforms that are wanted, a clock."""

    environment: Mapping[str, str]
    nodes: tuple[Node, ...]
    platforms: tuple[Platform, ...]
    now: Callable[[], datetime]
    binfmt: Path = BINFMT


def examine(where: Circumstances) -> tuple[Check, ...]:
    """All checks, in the order in which they depend on each other."""
    docker = check_docker(where.environment)
    if not docker.ok and "not there" in docker.detail:
        return (docker, *check_logins(where.environment), *check_ci(where.environment))
    return (
        docker,
        check_buildx(where.environment),
        *(check_engine(where) if docker.ok else ()),
        *check_nodes(where.nodes),
        *check_platforms(where),
        *check_emulators(where),
        *check_logins(where.environment),
        *check_ci(where.environment),
    )


def check_docker(environment: Mapping[str, str]) -> Check:
    """The docker command and an engine that answers it."""
    try:
        done = run(("docker", "version", "--format", "{{json .}}"), _SECONDS, environment=environment)
    except MabuildError as error:
        return Check("docker", False, error.message, "install docker: https://docs.docker.com/engine/install/")
    versions = _object(done.stdout)
    client = _text(versions, "Client", "Version")
    server = _text(versions, "Server", "Version")
    if server:
        return Check("docker", True, f"command {client}, engine {server}")
    reason = last_line(done.stderr)
    if "permission denied" in reason:
        return Check("docker", False, reason, "sudo usermod -aG docker $USER, then log in again")
    return Check(
        "docker",
        False,
        f"command {client}, no engine: {reason}",
        "start it (sudo systemctl start docker), or set DOCKER_HOST or a docker context",
    )


def check_buildx(environment: Mapping[str, str]) -> Check:
    """The buildx plug-in, and whether it is new enough."""
    mend = "install docker-buildx-plugin (or docker-buildx on Debian and Fedora)"
    try:
        done = run(("docker", "buildx", "version"), _SECONDS, environment=environment)
    except MabuildError as error:
        return Check("buildx", False, error.message, mend)
    version = buildx_version(done.stdout)
    if done.code or not version:
        return Check("buildx", False, "the plug-in is missing", mend)
    shown = ".".join(map(str, version))
    if version < BUILDX_FLOOR:
        floor = ".".join(map(str, BUILDX_FLOOR))
        return Check("buildx", False, f"{shown} is too old, mabuild needs {floor}", mend)
    return Check("buildx", True, shown)


def buildx_version(text: str) -> tuple[int, ...]:
    """The version in the answer of `docker buildx version`; empty where there is none."""
    found = re.search(r"\sv?(\d+)\.(\d+)(?:\.(\d+))?", text)
    return tuple(int(part) for part in found.groups() if part) if found else ()


def check_engine(where: Circumstances) -> Iterator[Check]:
    """What the engine says of itself: image store, disk, clock."""
    try:
        information = engine_information(where.environment)
    except MabuildError as error:
        yield Check("engine", False, error.message, "start docker, or set DOCKER_HOST or a docker context")
        return
    yield check_image_store(information, where.nodes)
    yield from check_disk(information)
    yield from check_clock(information, where.now())


def check_image_store(information: Mapping[str, object], nodes: tuple[Node, ...]) -> Check:
    """The containerd image store: without it the docker driver holds one platform per image and no attestations."""
    if "io.containerd.snapshotter" in json.dumps(information.get("DriverStatus")):
        return Check("image store", True, "containerd")
    used = any(node.driver == "docker" for node in nodes)
    return Check(
        "image store",
        False,
        "docker's own: an image has one platform only, and no attestations",
        'put {"features": {"containerd-snapshotter": true}} into /etc/docker/daemon.json and restart docker; '
        "or make a builder: docker buildx create --driver docker-container --use",
        needed=used,
    )


def check_disk(information: Mapping[str, object]) -> Iterator[Check]:
    """Room where the engine keeps its data, where that is on this machine."""
    root = str(information.get("DockerRootDir") or "")
    if not root or not Path(root).is_dir():
        return
    free = shutil.disk_usage(root).free
    detail = f"{free / 1024**3:.0f} GiB free in {root}"
    yield Check("disk", free >= _LEAST_DISK, detail, "docker buildx prune; docker system prune", needed=False)


def check_clock(information: Mapping[str, object], now: datetime) -> Iterator[Check]:
    """The engine's clock against this machine's; registry tokens and TLS fail where they differ."""
    try:
        there = datetime.fromisoformat(str(information.get("SystemTime") or ""))
    except ValueError:
        return
    skew = abs((now - there.astimezone(UTC)).total_seconds())
    yield Check("clock", skew <= _MOST_SKEW, f"the engine's differs by {skew:.0f} s", "set both clocks by NTP")


def check_nodes(nodes: tuple[Node, ...]) -> Iterator[Check]:
    """Every node: whether it answers, and what its driver cannot do."""
    for node in nodes:
        name = f"node {node.name}"
        if not node.is_up:
            yield Check(name, False, f"{node.driver} {node.endpoint}: {node.status}", "start it, or leave it out")
            continue
        yield Check(name, True, f"{node.driver}, BuildKit {node.buildkit or 'of unknown version'}")
        if node.driver in DRIVERS and not DRIVERS[node.driver].pushes_by_digest:
            mend = "docker buildx create --driver docker-container --use"
            yield Check(f"{name}: {node.driver}", False, DRIVERS[node.driver].limits[0], mend, needed=False)


def check_platforms(where: Circumstances) -> Iterator[Check]:
    """For every platform that is wanted the best mode that some node has for it; nothing where no node answers."""
    order = list(Mode)
    up = [node for node in where.nodes if node.is_up]
    for platform in where.platforms if up else ():
        mode, name = min(((node.mode(platform), node.name) for node in up), key=lambda found: order.index(found[0]))
        mend = f"mabuild nodes --install {platform}, or add a native node"
        if mode is Mode.IMPOSSIBLE:
            yield Check(str(platform), False, "no node can build it", mend)
        else:
            yield Check(str(platform), True, f"{mode} on {name}")


def check_emulators(where: Circumstances) -> Iterator[Check]:
    """What is registered in this machine's kernel for platforms that no node runs natively."""
    native = {entry.platform.architecture for node in where.nodes for entry in node.platforms if _is_native(entry.mode)}
    found = registrations(where.binfmt)
    if not native:
        return  # which emulators are needed is known once a node answers
    for architecture in dict.fromkeys(platform.architecture for platform in where.platforms):
        if architecture in native:
            continue
        known = state(architecture, found)
        registration = known.registration
        detail = known.problem or (f"{registration.interpreter}, flags {registration.flags}" if registration else "")
        yield Check(f"emulator {architecture}", known.is_good, detail, known.mend, needed=False)


def _is_native(mode: Mode) -> bool:
    return mode in {Mode.NATIVE, Mode.COMPAT, Mode.SYSTEM_EMULATED}


def check_logins(environment: Mapping[str, str]) -> Iterator[Check]:
    """The registries for which there is a login (never the login), and helpers that are named but not there."""
    try:
        text = (docker_folder(environment) / "config.json").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        text = "{}"
    settings = _object(text)
    hosts = sorted({*_keys(settings, "auths"), *_keys(settings, "credHelpers")})
    hosts += ["those of DOCKER_AUTH_CONFIG"] if environment.get("DOCKER_AUTH_CONFIG") else []
    yield Check("logins", True, ", ".join(hosts) or "none: only public images, and registries without login")
    helpers = settings.get("credHelpers")
    names = {*(helpers.values() if isinstance(helpers, dict) else ()), settings.get("credsStore")}
    for name in sorted(str(name) for name in names if name):
        program = f"docker-credential-{name}"
        if shutil.which(program, path=environment.get("PATH")) is None:
            detail = f"{program} is named in docker's config.json, but is not there"
            yield Check(f"credential helper {name}", False, detail, f"install {program}, or take it out of config.json")


def check_ci(environment: Mapping[str, str]) -> Iterator[Check]:
    """The CI that this runs in, and the architecture of its runner."""
    for variable, name in _CI.items():
        if environment.get(variable):
            runner = environment.get("RUNNER_ARCH", "")
            yield Check("CI", True, f"{name}, runner {runner}" if runner else name)


def _object(text: str) -> dict[str, object]:
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _keys(settings: Mapping[str, object], name: str) -> tuple[str, ...]:
    found = settings.get(name)
    return tuple(map(str, found)) if isinstance(found, dict) else ()


def _text(settings: Mapping[str, object], *path: str) -> str:
    found: object = settings
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return str(found or "")
