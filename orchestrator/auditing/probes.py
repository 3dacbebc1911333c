"""Texts in a stage of the build platform that ask their own machine, and the files that are chosen by the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from orchestrator.auditing.artifacts import lookup_at
from orchestrator.auditing.call import calls_of
from orchestrator.auditing.context import Context
from orchestrator.auditing.natives import native_build
from orchestrator.auditing.outputs import Command, built, downloaded, spread
from orchestrator.auditing.runs import Language, Run
from orchestrator.auditing.shell.commands import program_at
from orchestrator.auditing.shell.evaluate import Evaluator
from orchestrator.auditing.shell.machine import UNKNOWN, machine
from orchestrator.auditing.shell.programs import PROBES
from orchestrator.auditing.shell.state import Visit
from orchestrator.core.platform import LINUX_AMD64, LINUX_ARM64, Platform
from orchestrator.dockerfile.source import Word

_ASKS = re.compile(
    r"uname|print-arch|HOSTTYPE|MACHTYPE|dumpmachine|process\.arch|platform\.machine|LONG_BIT|\barch\b|%\{?_arch|GOARCH"
    r"|dpkg-architecture"
)
_NAMES = ("PLATFORM", "OS", "ARCH", "VARIANT")
Outside = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class ProbedRun:
    """Where a text asks the machine, as it is written, and where the files go that depend on the answer."""

    word: Word
    title: str
    path: str
    paths: tuple[str, ...]


def probed_runs(context: Context, stage: int, platforms: tuple[Platform, ...]) -> Iterator[ProbedRun]:
    """The texts of a stage in which a file depends on what the builder says of itself."""
    runs = [run for run in context.stage_texts.runs.get(stage, ()) if run.language is not Language.FILE]
    if not any(_ASKS.search(run.source.text) for run in runs):
        return
    target = platforms[-1]
    builder = LINUX_ARM64 if target.architecture == "amd64" else LINUX_AMD64
    commands: list[Command] = []
    starts: dict[int, tuple[str, ...]] = {}
    asking: dict[int, tuple[int, int]] = {}
    for number, (run, folder, outside) in enumerate(_placed(context, stage, runs, (builder, target))):
        begin = len(commands)
        found = list(_commands(_visits(run, builder, outside), folder, outside))
        if _ASKS.search(run.source.text):
            chosen = _chosen(run, found, outside, target)
            starts.update({begin + at: paths for at, paths in chosen.items()})
        commands += [command for _, command in found]
        asking[number] = (begin, len(commands))
    paths = spread(starts, commands)
    for number, (begin, end) in asking.items():
        files = tuple(dict.fromkeys(path for at in range(begin, end) for path in paths.get(at, ())))
        where = _question(runs[number]) if files else None
        if where is not None:
            yield ProbedRun(where, where.text, runs[number].path, files)


def _placed(
    context: Context, stage: int, runs: list[Run], machines: tuple[Platform, Platform]
) -> Iterator[tuple[Run, str, Outside]]:
    """Each text with its folder and its variables in a build for the target on the builder."""
    builder, target = machines
    resolved = context.staging.resolved(stage, target)
    folders = context.artifacts.folders(target)[stage]
    positions = {id(one): position for position, one in enumerate(resolved.executed)}
    for run in runs:
        position = positions.get(id(run.instruction), 0)
        yield run, folders[position], _outside(lookup_at(resolved, position), target, builder)


def _outside(lookup: Outside, target: Platform, builder: Platform) -> Outside:
    """The variables of a build for one platform on a machine of another one."""
    automatic: dict[str, str] = {}
    for side, platform in (("TARGET", target), ("BUILD", builder)):
        values = (str(platform), platform.os, platform.architecture, platform.variant)
        automatic.update({f"{side}{name}": value for name, value in zip(_NAMES, values, strict=True)})
    return lambda name: automatic[name] if name in automatic else lookup(name)


def _visits(run: Run, platform: Platform, outside: Outside) -> list[Visit]:
    evaluator = Evaluator(run.source.text, machine(platform), outside, run.inner)
    evaluator.run(run.block)
    evaluator.run_uncalled()
    return evaluator.trace.visits


def _command(visit: Visit, folder: str, outside: Outside) -> Command:
    first = program_at(visit.values)
    name = visit.values[first].rpartition("/")[2] if first < len(visit.values) else ""
    environment = visit.environment

    def lookup(variable: str) -> str | None:
        return environment[variable] if variable in environment else outside(variable)

    return Command(name, visit.values[first + 1 :], folder, lookup)


def _commands(visits: list[Visit], folder: str, outside: Outside) -> Iterator[tuple[Visit, Command]]:
    for visit in visits:
        command = _command(visit, folder, outside)
        if command.name in {"cd", "pushd"} and command.operands:
            folder = command.path(command.operands[0])
        yield visit, command


def _chosen(
    run: Run, commands: list[tuple[Visit, Command]], outside: Outside, target: Platform
) -> dict[int, tuple[str, ...]]:
    """Where downloads and compilations go whose words would differ on a machine of the target, all else the same."""
    meant = {_key(visit) for visit in _visits(run, target, outside)}
    found: dict[int, tuple[str, ...]] = {}
    streams: set[str] = set()
    for number, (visit, command) in enumerate(commands):
        differs = _key(visit) not in meant
        if not differs and streams.isdisjoint(visit.upstream):
            continue
        written = downloaded(command) or (built(command) if _compiles(command) else ())
        if written:
            found[number] = written
        elif differs and command.name in {"curl", "wget", "aria2c"}:
            streams.add(command.name)
    return found


def _key(visit: Visit) -> tuple[int, tuple[str, ...], str | None]:
    return id(visit.command), visit.values, visit.environment.get("GOARCH")


def _compiles(command: Command) -> bool:
    plain = Command(
        command.name, tuple(word for word in command.arguments if "target" not in word), "/", lambda _: None
    )
    return bool(native_build(plain))


def _question(run: Run) -> Word | None:
    """The first place where the text asks the machine."""
    one = machine(LINUX_AMD64)
    for call in calls_of(run):
        probe = PROBES.get(call.name)
        if probe is not None and probe(one, call.arguments) != UNKNOWN:
            words = (call.word, *call.words)
            last = words[-1]
            text = " ".join(word.text for word in words)
            return Word(text, call.word.line, call.word.column, last.end_line, last.end_column)
    match = re.search(r"\$\{?(?:HOSTTYPE|MACHTYPE)\}?", run.source.text)
    return run.source.word(*match.span()) if match else None
