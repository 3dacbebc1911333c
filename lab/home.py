"""Where the lab keeps what it makes: one folder that survives clones, so that caches and a running lab are shared."""

from __future__ import annotations

import fcntl
import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

LONGEST_SOCKET_PATH = 107  # sun_path of Linux's sockaddr_un, without the closing zero


@dataclass(frozen=True, slots=True)
class Home:
    """The state folder and the names of what is in it."""

    root: Path

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Home:
        if named := environment.get("MABUILD_LAB_HOME"):
            return cls(Path(named).expanduser().resolve())
        cache = environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME", "~")).expanduser() / ".cache"
        return cls(Path(cache) / "mabuild-lab")

    @property
    def run(self) -> Path:
        """Sockets and pid files."""
        return self.root / "run"

    @property
    def log(self) -> Path:
        return self.root / "log"

    @property
    def apt(self) -> Path:
        return self.root / "apt"

    @property
    def bases(self) -> Path:
        """Layers of the base images."""
        return self.root / "bases"

    @property
    def registry(self) -> Path:
        return self.root / "registry"

    @property
    def buildx(self) -> Path:
        """BUILDX_CONFIG of everything that runs in the lab."""
        return self.root / "buildx"

    @property
    def settings(self) -> Path:
        """What `up` decided (port, engine), read by `env`."""
        return self.root / "settings.json"

    @property
    def emulator(self) -> Path:
        """Names the architecture whose emulator this lab registered, and so has to remove."""
        return self.run / "emulator"

    def make(self) -> None:
        for folder in (self.run, self.log, self.bases, self.buildx):
            folder.mkdir(parents=True, exist_ok=True)

    def forget(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)

    def socket(self, name: str) -> Path:
        path = self.run / name
        if len(os.fsencode(path)) > LONGEST_SOCKET_PATH:
            raise LabError(f"{path} is too long for a socket", hint="set MABUILD_LAB_HOME to a shorter folder")
        return path


@contextmanager
def locked(home: Home, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lab's lock; `waiting` is called once when somebody else has it."""
    try:
        home.root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LabError(f"{home.root} cannot be made: {error.strerror}", hint="set MABUILD_LAB_HOME") from None
    with (home.root.parent / f".{home.root.name}.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
