"""A running build on a board, as lines, as JSON and in GitHub's groups."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from rich.console import Console

from orchestrator.core.event import Event, Line, Notice, Phase, StateChanged, Step
from orchestrator.report.progress import PROGRESS
from orchestrator.report.progress.board import Board
from orchestrator.report.progress.task import Row, Task, after
from orchestrator.report.screen import Screen

API = "api@linux/arm64"
TASKS = (Task("base@linux/amd64", "here", "native"), Task(API, "here", "emulated", 30.0))
EVENTS: tuple[Event, ...] = (
    StateChanged(API, Phase.BUILDING),
    Step(API, 1, 3, "[1/3] FROM debian", cached=True, done=True),
    Step(API, 2, 3, "[2/3] RUN make"),
    Line(API, "::error::not mine"),
    Notice(API, "try again in 3 s: 503 from the registry"),
    StateChanged(API, Phase.FAILED, "exit code 1"),
)


def shown(name: str, width: int = 100) -> str:
    stream = StringIO()
    with PROGRESS[name](TASKS, stream, Screen(width, live=True)) as listen:
        for event in EVENTS:
            listen(event)
    return stream.getvalue()


def test_plain_lines_are_prefixed() -> None:
    lines = shown("plain").splitlines()
    assert lines[0] == "api@linux/arm64  | building"
    assert lines[1] == "api@linux/arm64  | [1/3] FROM debian (cached)"
    assert lines[2] == "api@linux/arm64  | [2/3] RUN make"
    assert lines[-1] == "api@linux/arm64  | failed: exit code 1"


def test_json_lines() -> None:
    events = [json.loads(line) for line in shown("json").splitlines()]
    assert [event["event"] for event in events] == ["state", "step", "step", "line", "notice", "state"]
    assert events[-1] == {"event": "state", "task": API, "phase": "failed", "detail": "exit code 1"}


def test_github_groups_keep_logs_whole_and_harmless() -> None:
    text = shown("github")
    assert f"::group::{API} failed\n" in text
    assert "::error::not mine" not in text, "a build log cannot speak to the runner"
    assert f"::error title={API}::exit code 1\n" in text
    assert text.index("::endgroup::") < text.index("::error title")


@pytest.mark.parametrize(
    ("name", "begin", "end"),
    [
        (
            "gitlab",
            "section_start:0:api_linux_arm64_failed[collapsed=true]\r",
            "section_end:0:api_linux_arm64_failed\r",
        ),
        ("azure", f"##[group]{API} failed\n", "##[endgroup]\n##vso[task.logissue type=error]"),
        ("buildkite", f"--- {API} failed\n", "^^^ +++\n"),
    ],
)
def test_groups_of_other_cis(name: str, begin: str, end: str) -> None:
    text = shown(name)
    assert 0 < text.index(begin) < text.index("[2/3] RUN make") < text.index(end) < text.rindex("exit code 1")


@pytest.mark.parametrize(
    ("name", "spoken"),
    [
        ("gitlab", "\x1b[0Ksection_end:0:api_linux_arm64_failed\r\x1b[0K"),
        ("azure", "##vso[task.setvariable variable=x]y"),
        ("buildkite", "+++ mine"),
    ],
)
def test_a_log_cannot_speak_to_a_ci(name: str, spoken: str) -> None:
    stream = StringIO()
    with PROGRESS[name](TASKS, stream, Screen(100)) as listen:
        listen(Line(API, spoken))
        listen(StateChanged(API, Phase.BUILT))
    assert f"\n{spoken}" not in stream.getvalue()
    assert "vso[" not in stream.getvalue().replace("# #vso[", "")


def test_quiet_says_nothing() -> None:
    assert shown("quiet") == ""


@pytest.mark.parametrize("width", [30, 100, 200])
def test_board_leaves_its_last_state(width: int) -> None:
    text = shown("rich", width)
    assert "1/2" in text
    if width >= 100:
        assert "failed" in text
        assert "exit code 1" in text


def test_a_row_counts_steps_tries_and_time() -> None:
    row = Row(TASKS[1])
    for second, event in enumerate(EVENTS, 100):
        row = after(row, event, float(second))
    assert (row.done, row.cached, row.attempts, row.step, row.steps) == (1, 1, 1, 2, 3)
    assert row.seconds(now=999.0) == 5.0
    assert Row(TASKS[0]).seconds(now=999.0) == 0.0


def test_a_board_that_is_higher_than_the_screen_shows_what_runs_first() -> None:
    tasks = tuple(Task(f"service{number}@linux/amd64", "here", "native") for number in range(30))
    board = Board(tasks, lambda: 0.0)
    board.listen(StateChanged(tasks[28].name, Phase.BUILDING))
    board.listen(StateChanged(tasks[27].name, Phase.FAILED, "exit code 1"))
    board.listen(StateChanged(tasks[0].name, Phase.BUILT))
    screen = Console(width=80, height=10, file=StringIO(), force_terminal=False)
    with screen.capture() as captured:
        screen.print(board)
    lines = captured.get().splitlines()
    assert len(lines) == 9, "a line is left for the cursor"
    assert [line.split()[0] for line in lines[1:3]] == [tasks[28].name, tasks[27].name]
    assert "service0@" not in captured.get(), "what has ended comes last"
    assert lines[-1].endswith("2/30 in 0.0 s")
