"""The one place that starts processes: each in its own group, with a time limit, and all of them stopped together."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import IO, ClassVar, Final

from orchestrator.core.errors import Exit, MabuildError, UnreachableError

MOST_OUTPUT = 64 * 1024 * 1024
_LONGEST_LINE = 16 * 1024 * 1024
_CHUNK = 64 * 1024
_TICK = 0.2
_GRACE = 5.0
_LATE = "took longer than it may"
_AFTER_THE_END = 0.5
"""How long output is awaited after a program ended: ssh keeps its master, and with it our pipe, open for minutes."""


class TimeLimitError(UnreachableError):
    """A process took longer than it may; it has been stopped."""


class StoppedError(MabuildError):
    """A process was stopped, or not started at all, because mabuild is being stopped."""

    exit_code: ClassVar[Exit] = Exit.INTERRUPTED


@dataclass(frozen=True, slots=True)
class Call:
    """What is started. `environment` is the whole environment (None: that of mabuild); `stdin` is given to it."""

    argv: tuple[str, ...]
    environment: Mapping[str, str] | None = None
    directory: str | None = None
    stdin: bytes = b""


@dataclass(frozen=True, slots=True)
class Completed:
    """How a process ended: its exit code (negative: killed by that signal), and what it wrote."""

    argv: tuple[str, ...]
    code: int
    stdout: str
    stderr: str


class Processes:
    """The processes that run now. After `close` all of them are stopped and none starts any more."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = Lock()
        self._closed = False

    def run(self, call: Call, timeout: float) -> Completed:
        """Run to the end and keep the output (at most 64 MiB of each stream)."""
        stdout, stderr = bytearray(), bytearray()
        process = self._start(call, subprocess.PIPE)
        code = self._watch(process, call, {process.stdout: _keeper(stdout), process.stderr: _keeper(stderr)}, timeout)
        return Completed(call.argv, code, stdout.decode(errors="replace"), stderr.decode(errors="replace"))

    def stream(
        self, call: Call, on_line: Callable[[str], None], timeout: float = 0.0, stop: Callable[[], str] = str
    ) -> int:
        """Run to the end and hand on every line of both streams as it comes; gives the exit code.

        `timeout` in seconds, 0.0 for none. `stop` is asked several times a second: a text ends the process, and is
        the reason in the TimeLimitError.
        """
        lines = _Lines(on_line)
        process = self._start(call, subprocess.STDOUT)
        code = self._watch(process, call, {process.stdout: lines.feed}, timeout, stop)
        lines.end()
        return code

    def stop_all(self, grace: float = _GRACE) -> None:
        """Stop everything that runs now."""
        with self._lock:
            running = list(self._running)
        for process in running:
            _signal_group(process, signal.SIGTERM)
        deadline = time.monotonic() + grace
        for process in running:
            _end(process, deadline)

    def close(self, grace: float = _GRACE) -> None:
        """Stop everything, and start nothing any more."""
        with self._lock:
            self._closed = True
        self.stop_all(grace)

    def _start(self, call: Call, stderr: int) -> subprocess.Popen[bytes]:
        with tempfile.TemporaryFile() as stdin, self._lock:
            stdin.write(call.stdin)
            stdin.seek(0)
            if self._closed:
                raise StoppedError(f"{call.argv[0]} is not started: mabuild is being stopped")
            process = _popen(call, stdin, stderr)
            self._running.add(process)
        return process

    def _watch(
        self,
        process: subprocess.Popen[bytes],
        call: Call,
        sinks: Mapping[IO[bytes] | None, Callable[[bytes], None]],
        timeout: float,
        stop: Callable[[], str] = str,
    ) -> int:
        deadline = time.monotonic() + timeout if timeout else float("inf")
        name = " ".join(call.argv[:3])
        try:
            reason = _pump(process, sinks, deadline, stop)
        finally:
            if process.poll() is None:
                _signal_group(process, signal.SIGTERM)
                _end(process, time.monotonic() + _GRACE)
            with self._lock:
                self._running.discard(process)
                closed = self._closed
            for pipe in sinks:
                if pipe is not None:
                    pipe.close()
        if closed and process.returncode:
            raise StoppedError(f"{name} was stopped")
        if reason:
            raise TimeLimitError(f"{name} {f'took longer than {timeout:g} s' if reason is _LATE else reason}")
        return process.returncode


PROCESSES: Final = Processes()
"""The processes of this mabuild; a signal closes it."""


def run(argv: Sequence[str], timeout: float, *, environment: Mapping[str, str] | None = None) -> Completed:
    """Run a short call to its end. UnreachableError where the program is missing or takes longer than `timeout` s."""
    return PROCESSES.run(Call(tuple(argv), environment), timeout)


def _popen(call: Call, stdin: IO[bytes], stderr: int) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            call.argv,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=call.environment,
            cwd=call.directory,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        missing = error.filename or call.argv[0]
        raise UnreachableError(f"{missing} is not there", hint="install it, or put it on the PATH") from error
    except OSError as error:
        raise UnreachableError(f"{call.argv[0]} cannot be started: {error.strerror}") from error


def _pump(
    process: subprocess.Popen[bytes],
    sinks: Mapping[IO[bytes] | None, Callable[[bytes], None]],
    deadline: float,
    stop: Callable[[], str],
) -> str:
    """Hand on output until it ends, or until an ended process is silent; the text says why it was cut short."""
    ended = 0.0
    with selectors.DefaultSelector() as selector:
        for pipe, sink in sinks.items():
            if pipe is not None:
                selector.register(pipe, selectors.EVENT_READ, sink)
        while selector.get_map():
            now = time.monotonic()
            ready = selector.select(max(0.0, min(_TICK, deadline - now)))
            for key, _ in ready:
                _drain(selector, key)
            ended = 0.0 if process.poll() is None else ended or now
            if ended and not ready and now - ended > _AFTER_THE_END:
                return ""
            if now >= deadline:
                return _LATE
            reason = stop()
            if reason:
                return reason
    return _wait(process, deadline)


def _wait(process: subprocess.Popen[bytes], deadline: float) -> str:
    try:
        process.wait(None if deadline == float("inf") else max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return _LATE
    return ""


def _drain(selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
    content = os.read(key.fd, _CHUNK)
    if content:
        key.data(content)
    else:
        selector.unregister(key.fileobj)


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _end(process: subprocess.Popen[bytes], deadline: float) -> None:
    """Wait for a process that was told to end, then kill what is left of its group."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(max(0.0, deadline - time.monotonic()))
    _signal_group(process, signal.SIGKILL)
    process.wait()


def _keeper(buffer: bytearray) -> Callable[[bytes], None]:
    def keep(content: bytes) -> None:
        buffer.extend(content[: MOST_OUTPUT - len(buffer)])

    return keep


class _Lines:
    """Cuts a stream of bytes into lines; the rest of a line longer than 16 MiB is dropped."""

    def __init__(self, on_line: Callable[[str], None]) -> None:
        self._on_line = on_line
        self._rest = bytearray()

    def feed(self, content: bytes) -> None:
        *lines, rest = content.split(b"\n")
        for line in lines:
            self._add(line)
            self.end()
        self._add(rest)

    def end(self) -> None:
        if self._rest:
            text = self._rest.decode(errors="replace")
            self._rest.clear()
            self._on_line(text.rstrip("\r"))

    def _add(self, content: bytes) -> None:
        self._rest.extend(content[: _LONGEST_LINE - len(self._rest)])
