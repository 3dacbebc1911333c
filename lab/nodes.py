"""Builder nodes: an engine behind a bridge becomes a `remote` node, and builders are made of nodes."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

from lab.bridge import UNIX
from lab.process import Daemon, run, succeeds

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class RemoteNode:
    """A bridge to an engine.

    Its BUILDX_CONFIG is its own: with the shared one, `docker buildx ls` holds the lock that the bridge waits for.
    """

    socket: Path
    config: Path
    log: Path
    engine: Mapping[str, str] = field(default_factory=dict)

    @property
    def endpoint(self) -> str:
        return f"unix://{self.socket}"

    @property
    def daemon(self) -> Daemon:
        return Daemon(self.socket.with_suffix(".json"), self.log)

    def start(self) -> None:
        self.config.mkdir(parents=True, exist_ok=True)
        self.socket.unlink(missing_ok=True)
        address = self.engine.get("DOCKER_HOST", "")
        dial = ["docker", "buildx", "dial-stdio", "--builder", "default"]
        how = [address] if address.startswith(UNIX) else dial
        program = str(Path(__file__).with_name("bridge.py"))
        environment = {**self.engine, "BUILDX_CONFIG": str(self.config), "BUILDX_BUILDER": ""}
        self.daemon.start([sys.executable, program, str(self.socket), *how], environment)
        self.daemon.wait_until(self.socket.exists, seconds=10, what="the bridge to the engine")

    def stop(self) -> bool:
        stopped = self.daemon.stop(patience=5)
        self.socket.unlink(missing_ok=True)
        return stopped


def has_builder(name: str, config: Path) -> bool:
    return (config / "instances" / name).exists()


def create_builder(name: str, endpoints: Mapping[str, str], environment: Mapping[str, str]) -> None:
    """Make a builder of `remote` nodes, given as node name to endpoint, in their order."""
    remove_builder(name, environment)
    for position, (node, endpoint) in enumerate(endpoints.items()):
        append = ["--append"] if position else []
        words = ["docker", "buildx", "create", "--name", name, "--node", node, "--driver", "remote", *append, endpoint]
        run(words, environment=environment)


def create_container_builder(name: str, mirror: str, environment: Mapping[str, str]) -> None:
    """On the host's network, where localhost is the registry's; `mirror` (host:port) stands in for Docker Hub."""
    remove_builder(name, environment)
    words = ["docker", "buildx", "create", "--name", name, "--driver", "docker-container"]
    words += ["--driver-opt", "network=host", "--bootstrap"]
    with NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(container_settings(mirror))
        file.flush()
        run([*words, "--buildkitd-config", file.name], environment=environment)


def container_settings(mirror: str) -> str:
    """A buildkitd.toml for plain HTTP to the mirror. Where it has not what is asked for, Docker Hub itself is asked."""
    return f'[registry."docker.io"]\nmirrors = ["{mirror}"]\n\n[registry."{mirror}"]\nhttp = true\n'


def remove_builder(name: str, environment: Mapping[str, str]) -> bool:
    return succeeds(["docker", "buildx", "rm", "--force", name], environment=environment, timeout=60)
