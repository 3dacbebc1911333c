"""What a run proves, and when it proves nothing."""

from __future__ import annotations

import pytest

from orchestrator.core.errors import UnreachableError
from orchestrator.core.fleet import Level
from orchestrator.core.platform import Platform
from orchestrator.core.reference import Reference
from orchestrator.core.verification import Verdict, Verification
from orchestrator.verifying.engine import verify
from orchestrator.verifying.expectation import Expectation, Means, Runner, RunOutcome
from tests.verifying.binaries import program
from tests.verifying.images import AMD64, ARM64, GZIP_LAYER, REFERENCE, Shelf, file, image, index, layer
from tests.verifying.roots import glibc, healthy, of

VERSION = (("app", "--version"),)


def answering(outcome: RunOutcome) -> Runner:
    return lambda reference, platform, command: outcome


def look(
    outcome: RunOutcome,
    level: Level = Level.ENTRYPOINT,
    run: tuple[tuple[str, ...], ...] = VERSION,
    shelf: Shelf | None = None,
) -> Verification:
    if shelf is None:
        shelf = Shelf()
        index(shelf, healthy(shelf, AMD64), healthy(shelf, ARM64))
    return verify(shelf, REFERENCE, Expectation(level=level, run=run), Means(runner=answering(outcome)))


def test_every_command_runs_once_on_every_platform_by_digest() -> None:
    asked: list[tuple[str, str, tuple[str, ...]]] = []

    def runner(reference: Reference, platform: Platform, command: tuple[str, ...]) -> RunOutcome:
        asked.append((reference.digest, str(platform), command))
        return RunOutcome(mode="native")

    shelf = Shelf()
    entries = [healthy(shelf, AMD64), healthy(shelf, ARM64)]
    index(shelf, *entries)
    verify(shelf, REFERENCE, Expectation(level=Level.ENTRYPOINT, run=(("a",), ("b", "c"))), Means(runner=runner))
    amd64, arm64 = (entry["digest"] for entry in entries)
    assert asked == [
        (amd64, AMD64, ("a",)),
        (amd64, AMD64, ("b", "c")),
        (arm64, ARM64, ("a",)),
        (arm64, ARM64, ("b", "c")),
    ]


def test_a_good_run_is_said() -> None:
    result = look(RunOutcome(mode="emulated"))
    assert result.verdict is Verdict.PASS
    assert "linux/arm64: app --version ran under emulation and ended with 0" in result.proved


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (RunOutcome(1, "boom\nbang", "native"), "ended with 1"),
        (RunOutcome(127, "", "native"), "it is not found"),
        (RunOutcome(126, "", "native"), "cannot be executed"),
        (RunOutcome(132, "", "native"), "illegal instruction"),
        (RunOutcome(139, "", "native"), "segmentation fault"),
        (RunOutcome(255, "exec /app: exec format error", "native"), "exec format error"),
        (RunOutcome(timed_out=True, mode="native"), "did not end within its time"),
    ],
)
def test_commands_that_fail(outcome: RunOutcome, words: str) -> None:
    result = look(outcome)
    assert result.verdict is Verdict.FAIL
    findings = of(result, "MV701")
    assert [finding.platform for finding in findings] == [AMD64, ARM64]
    assert words in findings[0].message


@pytest.mark.parametrize(
    ("outcome", "fails"),
    [
        (RunOutcome(0, "", "native"), False),
        (RunOutcome(1, "usage: app", "native"), False),
        (RunOutcome(timed_out=True, mode="native"), False),
        (RunOutcome(132, "", "native"), True),
        (RunOutcome(1, "exec format error", "native"), True),
    ],
)
def test_an_entry_point_only_has_to_start(outcome: RunOutcome, fails: bool) -> None:
    assert bool(of(look(outcome, run=()), "MV701")) is fails


@pytest.mark.parametrize("level", [Level.META, Level.EXIST])
def test_a_run_without_a_look_at_the_files_proves_nothing(level: Level) -> None:
    result = look(RunOutcome(mode="native"), level)
    assert len(of(result, "MV702")) == 2
    assert not any("ran" in sentence for sentence in result.proved)


def test_a_wrong_binary_that_runs_all_the_same_proves_nothing() -> None:
    shelf = Shelf()
    members = [layer(*glibc("arm64")), layer(file("app", program("amd64")))]
    index(shelf, image(shelf, ARM64, members, runtime={"Entrypoint": ["/app"]}))
    result = look(RunOutcome(mode="native"), shelf=shelf)
    assert of(result, "MV401")
    assert "runs its own architecture's all the same" in of(result, "MV702")[0].message


def test_an_engine_that_does_not_say_how_it_ran_proves_nothing() -> None:
    assert "natively or under emulation" in of(look(RunOutcome()), "MV702")[0].message


def test_what_could_not_be_run_is_incomplete() -> None:
    result = look(RunOutcome(error="no emulator for arm64"))
    assert result.verdict is Verdict.INCOMPLETE
    assert "running linux/amd64: no emulator for arm64" in result.not_checked

    def broken(reference: Reference, platform: Platform, command: tuple[str, ...]) -> RunOutcome:
        raise UnreachableError("the engine is gone")

    shelf = Shelf()
    index(shelf, healthy(shelf, AMD64))
    result = verify(shelf, REFERENCE, Expectation(level=Level.ENTRYPOINT, run=VERSION), Means(runner=broken))
    assert result.verdict is Verdict.INCOMPLETE


def test_a_run_of_an_image_whose_layers_could_not_be_read_proves_nothing() -> None:
    shelf = Shelf()
    index(shelf, healthy(shelf, AMD64))
    digest = next(digest for digest, kind in shelf.types.items() if kind == GZIP_LAYER)
    shelf.content[digest] = shelf.content[digest][:100]
    result = look(RunOutcome(mode="native"), Level.FULL, shelf=shelf)
    assert "could not be read" in of(result, "MV702")[0].message
