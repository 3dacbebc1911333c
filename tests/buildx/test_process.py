"""Processes are started in a group of their own, heard line by line, and never outlive mabuild."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from orchestrator.buildx.process import Call, Processes, StoppedError, TimeLimitError, run
from orchestrator.core.errors import UnreachableError


def test_both_streams_and_the_exit_code_are_kept() -> None:
    done = run(["sh", "-c", "echo out; echo err >&2; exit 3"], 10)
    assert (done.code, done.stdout, done.stderr) == (3, "out\n", "err\n")


def test_a_missing_program_is_said_with_a_hint() -> None:
    with pytest.raises(UnreachableError, match="no-such-program is not there") as caught:
        run(["no-such-program"], 10)
    assert caught.value.hint


def test_stdin_larger_than_a_pipe_does_not_block() -> None:
    done = Processes().run(Call(("wc", "-c"), stdin=b"x" * 1_000_000), 10)
    assert done.stdout.strip() == "1000000"


def test_the_environment_is_the_one_that_is_given() -> None:
    assert run(["/bin/sh", "-c", "echo $MARK-$HOME"], 10, environment={"MARK": "a"}).stdout == "a-\n"


def test_a_call_over_its_time_is_stopped_with_its_whole_group(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    began = time.monotonic()
    with pytest.raises(TimeLimitError, match="longer than"):
        run(["sh", "-c", f"sleep 60 & echo $! > {pid}; wait"], 0.5)
    assert time.monotonic() - began < 40
    assert gone(int(pid.read_text()))


def test_a_program_that_ignores_sigterm_is_killed() -> None:
    processes = Processes()
    thread, caught = started(processes, "trap '' TERM; while :; do sleep 0.1; done")
    processes.close(grace=0.5)
    thread.join(20)
    assert not thread.is_alive()
    assert isinstance(caught[0], StoppedError)


def test_nothing_starts_after_close() -> None:
    processes = Processes()
    processes.close()
    with pytest.raises(StoppedError):
        processes.run(Call(("true",)), 5)


def test_lines_come_as_they_are_written() -> None:
    heard: list[tuple[float, str]] = []
    code = Processes().stream(
        Call(("sh", "-c", "echo one; sleep 0.4; printf 'two\\r\\nthree' >&2")),
        lambda line: heard.append((time.monotonic(), line)),
    )
    assert code == 0
    assert [line for _, line in heard] == ["one", "two", "three"]
    assert heard[1][0] - heard[0][0] > 0.3


def test_a_grandchild_that_holds_the_pipe_does_not_hold_us() -> None:
    began = time.monotonic()
    code = Processes().stream(Call(("sh", "-c", "sleep 30 & echo started")), lambda _: None)
    assert code == 0
    assert time.monotonic() - began < 20


def test_stop_ends_a_stream_with_its_reason() -> None:
    with pytest.raises(TimeLimitError, match="is silent"):
        Processes().stream(Call(("sleep", "30")), lambda _: None, stop=lambda: "is silent")


def test_an_error_in_the_listener_leaves_no_process_behind(tmp_path: Path) -> None:
    pid = tmp_path / "pid"

    def fail(_: str) -> None:
        raise ValueError("listener")

    with pytest.raises(ValueError, match="listener"):
        Processes().stream(Call(("sh", "-c", f"echo $$ > {pid}; echo go; sleep 30")), fail)
    assert gone(int(pid.read_text()))


def started(processes: Processes, script: str) -> tuple[threading.Thread, list[BaseException]]:
    caught: list[BaseException] = []
    ready = threading.Event()

    def work() -> None:
        try:
            processes.stream(Call(("sh", "-c", f"echo up; {script}")), lambda _: ready.set())
        except StoppedError as error:
            caught.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert ready.wait(20)
    return thread, caught


def gone(pid: int) -> bool:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text():
            return True
        time.sleep(0.05)
    return False
