"""Runs commands to their end, and keeps daemons that a later run recognises as its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LAST_LINES = 15


def run(
    argv: Sequence[str], *, timeout: float = 600, environment: Mapping[str, str] | None = None, given: bytes = b""
) -> str:
    """Standard output of a command; a failure shows the end of what it said."""
    try:
        done = subprocess.run(
            list(argv), input=given, capture_output=True, timeout=timeout, check=False, env=_environment(environment)
        )
    except FileNotFoundError:
        raise LabError(f"{argv[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise LabError(f"{' '.join(argv[:4])} did not end within {timeout:.0f} s") from None
    if done.returncode:
        said = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()[-LAST_LINES:]
        raise LabError(f"{' '.join(argv[:6])} failed ({done.returncode})", hint="\n".join(said))
    return done.stdout.decode(errors="replace")


def pipe(first: Sequence[str], second: Sequence[str]) -> None:
    """Run two commands, the output of the first being the input of the second."""
    with subprocess.Popen(list(first), stdout=subprocess.PIPE) as source:
        done = subprocess.run(list(second), stdin=source.stdout, capture_output=True, check=False)
    if source.returncode or done.returncode:
        raise LabError(f"{first[0]} | {second[0]} failed", hint=done.stderr.decode(errors="replace").strip())


def succeeds(argv: Sequence[str], *, timeout: float = 20, environment: Mapping[str, str] | None = None) -> bool:
    try:
        run(argv, timeout=timeout, environment=environment)
    except LabError:
        return False
    return True


def _environment(extra: Mapping[str, str] | None) -> dict[str, str]:
    return {**os.environ, **(extra or {})}


def identity(pid: int) -> str:
    """What tells a process from a later one with the same number: boot and start time; empty if there is none."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return "" if Path("/proc/self/stat").exists() else _identity_by_ps(pid)
    if fields[0] == "Z":
        return ""
    return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()}/{fields[19]}"


def _identity_by_ps(pid: int) -> str:
    done = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return done.stdout.strip()


@dataclass(frozen=True, slots=True)
class Daemon:
    """A process of ours, remembered in a file with its identity."""

    record: Path
    log: Path

    @property
    def pid(self) -> int:
        """Its number, 0 when it does not run."""
        try:
            known = json.loads(self.record.read_text())
            pid = int(known["pid"])
        except (FileNotFoundError, ValueError, KeyError):
            return 0
        return pid if identity(pid) == known["identity"] != "" else 0

    def start(self, argv: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self.record.parent.mkdir(parents=True, exist_ok=True)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("wb") as log:
            process = subprocess.Popen(
                list(argv),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=_environment(environment),
            )
        process.returncode = 0  # it outlives this object, which is nothing to be warned of
        self.record.write_text(json.dumps({"pid": process.pid, "identity": identity(process.pid)}))

    def wait_until(self, ready: Callable[[], bool], *, seconds: float, what: str) -> None:
        end = time.monotonic() + seconds
        while not ready():
            if not self.pid or time.monotonic() > end:
                raise LabError(f"{what} did not come up", hint=self.last_words())
            time.sleep(0.05)

    def stop(self, *, patience: float = 20) -> bool:
        """Whether there was something to stop."""
        pid = self.pid
        if pid:
            _end(pid, self, patience)
        self.record.unlink(missing_ok=True)
        return bool(pid)

    def last_words(self) -> str:
        try:
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-LAST_LINES:])
        except FileNotFoundError:
            return ""


def _end(pid: int, daemon: Daemon, patience: float) -> None:
    for number, wait in ((signal.SIGTERM, patience), (signal.SIGKILL, 5.0)):
        os.kill(pid, number)
        end = time.monotonic() + wait
        while time.monotonic() < end:
            _reap(pid)
            if not daemon.pid:
                return
            time.sleep(0.05)


def _reap(pid: int) -> None:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return  # it was started by an earlier run
