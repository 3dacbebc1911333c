"""Starts the programs of an image, platform by platform, through an engine handed in, and says what that proves."""

from __future__ import annotations

from dataclasses import dataclass, replace

from orchestrator.core.errors import MabuildError
from orchestrator.verifying.evidence import Content, Entry, Evidence, Run
from orchestrator.verifying.expectation import Runner, RunOutcome

_SIGNALS = {132: "illegal instruction", 134: "aborted", 135: "bus error", 139: "segmentation fault"}
_NOT_EXECUTED = {126: "it cannot be executed", 127: "it is not found"}
_FORMAT_ERROR = "exec format error"


def run_images(runner: Runner, evidence: Evidence) -> Evidence:
    """Run the commands of the expectation, or the entry point where there are none, once on every platform."""
    commands = evidence.expectation.run or ((),)
    runs = [
        Run(entry, command, _outcome(runner, evidence, entry, command))
        for entry in evidence.images
        if entry.platform is not None and entry.config is not None
        for command in commands
    ]
    return replace(evidence, runs=tuple(runs))


def _outcome(runner: Runner, evidence: Evidence, entry: Entry, command: tuple[str, ...]) -> RunOutcome:
    if entry.platform is None:
        return RunOutcome(error="the entry has no platform")
    try:
        return runner(evidence.reference.with_digest(entry.descriptor.digest), entry.platform, command)
    except MabuildError as error:
        return RunOutcome(error=error.message)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a run means: `fault` says what is wrong with the image, empty where nothing is."""

    fault: str = ""
    sentence: str = ""


def judge(run: Run) -> Judgement:
    """Whether a run shows a fault.

    A command of the manifest has to end with 0. The entry point of a service may run for ever, or end because it was
    given nothing: it only has to start.
    """
    outcome = run.outcome
    text = " ".join(run.command) or "the entry point"
    if outcome.error:
        return Judgement()
    if _FORMAT_ERROR in outcome.output.lower():
        return Judgement(f"{text} cannot be executed: {_FORMAT_ERROR}")
    if outcome.timed_out and not run.command:
        return Judgement("", f"{text} {_how(run)} and was still running when its time was up")
    if outcome.timed_out:
        return Judgement(f"{text} did not end within its time")
    if outcome.exit_code in _NOT_EXECUTED:
        return Judgement(f"{text} ended with {outcome.exit_code}: {_NOT_EXECUTED[outcome.exit_code]}")
    if outcome.exit_code in _SIGNALS:
        return Judgement(f"{text} was killed: {_SIGNALS[outcome.exit_code]}")
    if outcome.exit_code and run.command:
        return Judgement(f"{text} ended with {outcome.exit_code}")
    return Judgement("", f"{text} {_how(run)} and ended with {outcome.exit_code}")


def _how(run: Run) -> str:
    match run.outcome.mode:
        case "native" | "compat":
            return "ran natively"
        case "emulated" | "system-emulated":
            return "ran under emulation"
        case _:
            return "ran"


def doubt(evidence: Evidence, run: Run) -> str:
    """Why a run that went well proves nothing; empty where it is proof.

    An engine executes a binary of its own architecture in an image of any platform, without a word: only where the
    files were looked at and fit does a run show that this platform works.
    """
    content = next((one for one in evidence.contents if one.entry is run.entry), None)
    if content is None:
        return "the files of this platform were not looked at (level entrypoint or full does)"
    if content.unread:
        return "some layers of this platform could not be read"
    if not _fits(content):
        return "its binaries are not all for this platform, and an engine runs its own architecture's all the same"
    if not run.outcome.mode:
        return "the engine does not say whether it ran natively or under emulation"
    return ""


def _fits(content: Content) -> bool:
    platform = content.entry.platform
    steps = [step for step in content.steps if step.binary is not None]
    return platform is not None and all(step.binary.suits(platform) for step in steps if step.binary)


def ran(evidence: Evidence) -> list[str]:
    """One sentence for each run that went well and is proof."""
    return [
        f"{run.entry.label}: {judge(run).sentence}"
        for run in evidence.runs
        if judge(run).sentence and not doubt(evidence, run)
    ]


def not_run(evidence: Evidence) -> list[str]:
    """What should have been run and could not be."""
    return [f"running {run.entry.label}: {run.outcome.error}" for run in evidence.runs if run.outcome.error]
