"""Docker engines: one that is there already, or our own, each with all its folders apart."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lab.network import Bridge
from lab.process import Daemon, run, succeeds

if TYPE_CHECKING:
    from collections.abc import Mapping

MOUNTS = Path("/proc/self/mountinfo")
CONTROL_GROUPS = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine of the lab: `run`, `data` and `log` are its alone."""

    name: str
    run: Path
    data: Path
    log: Path
    bridge: Bridge
    mirror: str = field(default="", kw_only=True)  # host:port of a registry that stands in for Docker Hub

    @property
    def address(self) -> str:
        """What DOCKER_HOST has to be."""
        return f"unix://{self.run / self.name}.sock"

    @property
    def daemon(self) -> Daemon:
        return Daemon(self.run / f"{self.name}.json", self.log / f"{self.name}.log")

    @property
    def environment(self) -> Mapping[str, str]:
        return {"DOCKER_HOST": self.address}

    def settings(self) -> dict[str, object]:
        """The engine's configuration file."""
        mirror = {"registry-mirrors": [f"http://{self.mirror}"]} if self.mirror else {}
        store = {"storage-driver": "native"} if _on_overlay(self.data) else {}
        return {
            "features": {"containerd-snapshotter": True},
            "bridge": self.bridge.name,
            "iptables": False,  # the bridge brings its rules; the engine's own would reset those of others
            "ip6tables": False,
            "data-root": str(self.data),
            "exec-root": str(self.run / f"{self.name}-exec"),
            "pidfile": str(self.run / f"{self.name}.pid"),
            "hosts": [self.address],
            **mirror,
            **store,
        }

    def answers(self) -> bool:
        return succeeds(["docker", "version", "--format", "{{.Server.Version}}"], environment=self.environment)

    def start(self) -> None:
        self.data.mkdir(parents=True, exist_ok=True)
        self.run.mkdir(parents=True, exist_ok=True)
        mount_control_groups()
        self.bridge.make()
        (self.run / f"{self.name}.pid").unlink(missing_ok=True)
        file = self.run / f"{self.name}-settings.json"
        file.write_text(json.dumps(self.settings(), indent=2))
        self.daemon.start(["dockerd", "--config-file", str(file)])
        socket = self.run / f"{self.name}.sock"
        self.daemon.wait_until(lambda: socket.exists() and self.answers(), seconds=60, what="the engine")

    def stop(self) -> bool:
        stopped = self.daemon.stop()
        for point in mounts_under(MOUNTS.read_text(), (self.data, self.run / f"{self.name}-exec")):
            run(["umount", "--lazy", point])  # what an engine leaves that was killed
        self.bridge.remove()
        shutil.rmtree(self.run / f"{self.name}-exec", ignore_errors=True)
        for suffix in (".sock", ".pid", "-settings.json"):
            (self.run / f"{self.name}{suffix}").unlink(missing_ok=True)
        return stopped


def mounts_under(mountinfo: str, folders: tuple[Path, ...]) -> tuple[str, ...]:
    """The mount points at or below the folders, the latest first."""
    points = [line.split(" ")[4] for line in mountinfo.splitlines()]
    return tuple(point for point in reversed(points) if any(Path(point).is_relative_to(folder) for folder in folders))


def mount_control_groups() -> None:
    """On a machine where nobody did: the kernel's current kind."""
    if CONTROL_GROUPS.is_dir() and not any(CONTROL_GROUPS.iterdir()):
        run(["mount", "-t", "cgroup2", "none", str(CONTROL_GROUPS)])


def _on_overlay(folder: Path) -> bool:
    """Inside a container the folder may be on overlayfs, on which no second overlayfs can be laid."""
    folder.mkdir(parents=True, exist_ok=True)
    return run(["stat", "--file-system", "--format", "%T", str(folder)]).strip() == "overlayfs"


def existing_engine(environment: Mapping[str, str]) -> bool:
    """Whether docker with buildx works here without our doing. (`docker info` succeeds even without a server.)"""
    server = ["docker", "version", "--format", "{{.Server.Version}}"]
    return succeeds(["docker", "buildx", "version"], environment=environment) and succeeds(
        server, environment=environment
    )


def has_containerd_store(environment: Mapping[str, str]) -> bool:
    shown = run(["docker", "info", "--format", "{{json .DriverStatus}}"], environment=environment)
    return "io.containerd.snapshotter" in shown
