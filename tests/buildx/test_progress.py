"""Recorded output of real builds (buildx 0.29.1, BuildKit of docker 26.1.5) as events and failures."""

from __future__ import annotations

import base64
import json
from pathlib import Path

from orchestrator.buildx.progress import Progress
from orchestrator.core.event import Event, Line, Notice, Step

RECORDED = Path(__file__).parent / "recorded"


def replay(name: str) -> tuple[Progress, list[Event]]:
    events: list[Event] = []
    progress = Progress("api@linux/arm64", events.append)
    for line in (RECORDED / f"{name}.rawjson").read_text().splitlines():
        progress.feed(line)
    return progress, events


def test_steps_are_numbered_in_the_order_in_which_they_start() -> None:
    _, events = replay("built")
    started = [event for event in events if isinstance(event, Step) and event.number and not event.done]
    assert [(step.number, step.total) for step in started] == [(1, 3), (2, 3), (3, 3)]
    assert started[1].name == "[2/3] RUN echo hello 1; sleep 1; echo done"
    ended = [event.number for event in events if isinstance(event, Step) and event.number and event.done]
    assert ended == [1, 2, 3]


def test_lines_of_output_are_events() -> None:
    _, events = replay("built")
    assert [event.text for event in events if isinstance(event, Line)] == ["hello 1", "done"]


def test_the_exported_digest_is_that_of_the_list_with_attestations() -> None:
    progress, _ = replay("built")
    assert progress.exported == "sha256:e0b125f234c28dbf75db4ba9eee1c0e7164cc7d96d767b7983e9adcc2c150334"


def test_cached_steps_say_so() -> None:
    _, events = replay("cached")
    cached = [event.name for event in events if isinstance(event, Step) and event.done and event.cached]
    assert any(name.startswith("[2/3] RUN") for name in cached)
    assert any(name.startswith("[3/3] COPY") for name in cached)


def test_a_failed_step_is_told_with_its_output_and_its_lines() -> None:
    progress, _ = replay("failed-run")
    failure = progress.failure()
    assert failure.name.startswith("[build 3/3] RUN echo before")
    assert failure.message.endswith("did not complete successfully: exit code: 7")
    assert failure.log == ("before", "warning")
    assert failure.source[0] == "Dockerfile:3"
    assert failure.source[2] == "   3 | >>> RUN echo before; echo warning >&2; \\"


def test_a_failed_push_is_a_failed_step() -> None:
    failure = replay("failed-push")[0].failure()
    assert failure.name == "exporting to image"
    assert "connection refused" in failure.message
    assert failure.source == ()


def test_without_a_failed_step_buildx_has_the_last_word() -> None:
    progress = Progress("t", lambda _: None)
    progress.feed('ERROR: no builder "nosuch" found')
    assert progress.failure().message == 'no builder "nosuch" found'
    assert Progress("t", lambda _: None).failure().message == "buildx ended without a word"


def test_a_cancelled_step_is_not_the_one_that_failed() -> None:
    progress = Progress("t", lambda _: None)
    progress.feed(vertex("a", error="context canceled: context canceled"))
    progress.feed(vertex("b", error="boom"))
    assert progress.failure().name == "b"


def test_lines_that_come_in_pieces_are_joined_and_carriage_returns_overwrite() -> None:
    events: list[Event] = []
    progress = Progress("t", events.append)
    progress.feed(vertex("a"))
    for piece in ("10%\r50", "%\r100%\nend", ""):
        progress.feed(json.dumps({"logs": [{"vertex": "a", "data": base64.b64encode(piece.encode()).decode()}]}))
    assert [event.text for event in events if isinstance(event, Line)] == ["100%"]
    progress.feed(vertex("a", error="bad"))
    assert progress.failure().log == ("100%", "end")


def test_only_the_last_30_lines_are_kept() -> None:
    progress = Progress("t", lambda _: None)
    progress.feed(vertex("a"))
    data = base64.b64encode("".join(f"{number}\n" for number in range(100)).encode()).decode()
    progress.feed(json.dumps({"logs": [{"vertex": "a", "data": data}]}))
    progress.feed(vertex("a", error="bad"))
    assert progress.failure().log == tuple(str(number) for number in range(70, 100))


def test_rubbish_does_not_harm() -> None:
    progress = Progress("t", lambda _: None)
    for line in ("{", '{"vertexes": 3}', '{"vertexes": [null, {}]}', '{"logs": [{"data": "!"}]}', "[]", "{" * 100_000):
        progress.feed(line)


def test_warnings_are_notices() -> None:
    events: list[Event] = []
    short = base64.b64encode(b"JSONArgsRecommended: use JSON").decode()
    Progress("t", events.append).feed(json.dumps({"warnings": [{"short": short}]}))
    assert events == [Notice("t", "buildx warns: JSONArgsRecommended: use JSON")]


def test_silence_is_measured_from_the_last_sign_of_life() -> None:
    now = [0.0]
    progress = Progress("t", lambda _: None, lambda: now[0])
    now[0] = 50.0
    assert not progress.silent(60.0)
    progress.feed("{}")
    now[0] = 100.0
    assert not progress.silent(60.0)
    now[0] = 111.0
    assert "60 s" in progress.silent(60.0)
    assert not progress.silent(0.0)


def vertex(name: str, error: str = "") -> str:
    fields = {"digest": name, "name": name, "started": "x", **({"completed": "y", "error": error} if error else {})}
    return json.dumps({"vertexes": [fields]})
