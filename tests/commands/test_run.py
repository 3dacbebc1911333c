"""The end of a build or publication: exit codes, and the ways to show progress."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from threading import Event

import pytest

from orchestrator.commands.run import exit_code, progress_name
from orchestrator.commands.session import Session
from orchestrator.core.errors import Exit, UsageError
from orchestrator.core.plan import CellId
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64
from orchestrator.core.result import CellResult, Outcome, Results
from orchestrator.report.progress import PROGRESS


def results(*ends: tuple[Outcome, Exit]) -> Results:
    platforms = (LINUX_AMD64, LINUX_ARM64)
    cells = zip(platforms, ends, strict=False)
    return Results(
        tuple(CellResult(CellId("api", where), outcome, exit_code=code) for where, (outcome, code) in cells), ()
    )


@pytest.mark.parametrize(
    ("ends", "code"),
    [
        ([(Outcome.BUILT, Exit.BAD), (Outcome.UNCHANGED, Exit.BAD)], Exit.OK),
        ([(Outcome.FAILED, Exit.BAD), (Outcome.BUILT, Exit.BAD)], Exit.BAD),
        ([(Outcome.FAILED, Exit.UNREACHABLE), (Outcome.SKIPPED, Exit.BAD)], Exit.UNREACHABLE),
        ([(Outcome.FAILED, Exit.UNREACHABLE), (Outcome.FAILED, Exit.BAD)], Exit.BAD),
    ],
)
def test_the_exit_code_says_whether_the_build_or_the_world_failed(ends: list[tuple[Outcome, Exit]], code: Exit) -> None:
    assert exit_code(results(*ends), Event()) is code


def test_a_build_that_was_stopped_is_interrupted_unless_everything_is_there() -> None:
    stop = Event()
    stop.set()
    assert exit_code(results((Outcome.FAILED, Exit.BAD)), stop) is Exit.INTERRUPTED
    assert exit_code(results((Outcome.BUILT, Exit.BAD)), stop) is Exit.OK


@pytest.mark.parametrize(
    ("variable", "style"), [("GITHUB_ACTIONS", "github"), ("GITLAB_CI", "gitlab"), ("CI", "plain")]
)
def test_progress_suits_the_surroundings(variable: str, style: str) -> None:
    here = Session({variable: "true"}, Path(), StringIO(), StringIO())
    assert progress_name("auto", here) == style
    assert progress_name("json", here) == "json"


def test_an_unknown_way_is_told_all_that_there_are() -> None:
    with pytest.raises(UsageError) as caught:
        progress_name("fancy", Session({}, Path(), StringIO(), StringIO()))
    assert all(name in caught.value.hint for name in ("auto", *PROGRESS))
