"""Registries on this machine: Debian's docker-registry, or the registry image where only docker is there."""

from __future__ import annotations

import json
import shutil
import socket
import time
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import TYPE_CHECKING

from lab.errors import LabError
from lab.process import Daemon, run, succeeds

if TYPE_CHECKING:
    from collections.abc import Mapping

USUAL_PORT = 5000
IMAGE = "registry:2"


def is_free(port: int) -> bool:
    with closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port(preferred: int = 0) -> int:
    """The preferred port where nobody listens on it, else any."""
    if preferred and is_free(preferred):
        return preferred
    with closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


@dataclass(frozen=True, slots=True)
class Registry:
    """A registry on localhost whose data are in `folder`, deleting allowed."""

    name: str
    port: int
    folder: Path
    record: Path
    log: Path

    @property
    def host(self) -> str:
        return f"localhost:{self.port}"

    @property
    def daemon(self) -> Daemon:
        return Daemon(self.record, self.log)

    def settings(self) -> dict[str, object]:
        return {
            "version": "0.1",
            "log": {"level": "warn", "accesslog": {"disabled": True}},
            "storage": {"filesystem": {"rootdirectory": str(self.folder)}, "delete": {"enabled": True}},
            "http": {"addr": f"127.0.0.1:{self.port}"},
        }

    def answers(self) -> bool:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/v2/")
            return connection.getresponse().status == 200
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()

    def start(self, environment: Mapping[str, str]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if shutil.which("docker-registry"):
            self._start_process()
        else:
            self._start_container(environment)

    def _start_process(self) -> None:
        file = self.folder / "config.yml"
        file.write_text(json.dumps(self.settings(), indent=2))  # JSON is YAML
        self.daemon.start(["docker-registry", "serve", str(file)])
        self.daemon.wait_until(self.answers, seconds=20, what="the registry")

    def _start_container(self, environment: Mapping[str, str]) -> None:
        words = ["docker", "run", "--detach", "--rm", "--name", self.name, "--label", "mabuild-lab"]
        words += ["--publish", f"127.0.0.1:{self.port}:5000", "--volume", f"{self.folder}:/var/lib/registry"]
        words += ["--env", "REGISTRY_STORAGE_DELETE_ENABLED=true", IMAGE]
        succeeds(["docker", "rm", "--force", self.name], environment=environment)
        run(words, environment=environment)
        end = time.monotonic() + 20
        while not self.answers():
            if time.monotonic() > end:
                raise LabError(f"the registry does not answer on {self.host}", hint=f"docker logs {self.name}")
            time.sleep(0.1)

    def runs(self, environment: Mapping[str, str]) -> bool:
        """Whether it is this registry, not another on its port, that runs."""
        if self.daemon.pid:
            return True
        if shutil.which("docker-registry") or not shutil.which("docker"):
            return False
        listed = ["docker", "ps", "--quiet", "--filter", f"name=^{self.name}$"]
        try:
            return bool(run(listed, environment=environment).strip())
        except LabError:
            return False

    def stop(self, environment: Mapping[str, str]) -> bool:
        if self.daemon.stop():
            return True
        return self.runs(environment) and succeeds(["docker", "rm", "--force", self.name], environment=environment)
