"""Scripts of the build context that a Dockerfile copies or mounts and then runs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

from orchestrator.auditing.call import Call, calls_of
from orchestrator.auditing.copied import Copied, context_paths, copied_at, working_directory
from orchestrator.auditing.runs import Run, placed
from orchestrator.auditing.shell.commands import SHELLS
from orchestrator.auditing.shell.machine import UNKNOWN
from orchestrator.auditing.stages import StageView
from orchestrator.auditing.texts import language_of_script
from orchestrator.core.platform import Platform

MOST_SCRIPTS = 50
_MAYBE_SCRIPT = re.compile(r"\.(?:sh|bash)\b|(?:^|[\s;&|\"'])(?:\.{1,2}/|/)[\w./-]+|\b(?:source|bash|sh)\s")
_SYSTEM = re.compile(r"/(?:usr/)?s?bin/|/etc/|/var/|/proc/")


def called_scripts(
    stages: tuple[StageView, ...], runs: tuple[Run, ...], read: Callable[[str], str | None]
) -> Iterator[Run]:
    """The scripts, each once, followed with the variables of the first call on each platform."""
    found: dict[str, Run] = {}
    missing: set[str] = set()
    for run in runs:
        if run.stage >= 0 and _MAYBE_SCRIPT.search(run.source.text):
            for path, call in _called(stages[run.stage], stages, run):
                _add(path, call, found, missing, read)
    yield from found.values()


def _called(view: StageView, stages: tuple[StageView, ...], run: Run) -> Iterator[tuple[str, Call]]:
    here = copied_at(run, stages)
    for call in calls_of(run):
        for path in _candidates(call, here, view):
            yield path, call


def _add(path: str, call: Call, found: dict[str, Run], missing: set[str], read: Callable[[str], str | None]) -> None:
    if path in missing or len(found) >= MOST_SCRIPTS:
        return
    if path not in found:
        text = read(path)
        if text is None:
            missing.add(path)
            return
        language = language_of_script(text)
        found[path] = Run(placed(text), language, {}, call.instruction, call.run.stage, path)
    run = found[path]
    outside = dict(run.outside)
    for platform in call.platforms:
        outside.setdefault(platform, _variables(call, platform))
    run.outside = outside


def _variables(call: Call, platform: Platform) -> Callable[[str], str | None]:
    visit = call.visits[platform]
    arguments = {str(index): text for index, text in enumerate(_script_arguments(call, visit.values), 1)}
    around = call.run.outside[platform]

    def lookup(name: str) -> str | None:
        if name.isdigit():
            return arguments.get(name)
        return visit.environment[name] if name in visit.environment else around(name)

    return lookup


def _script_arguments(call: Call, values: tuple[str, ...]) -> tuple[str, ...]:
    first = call.first
    if call.name in SHELLS | {".", "source"}:
        first += 1
        while first < len(values) and values[first].startswith("-"):
            first += 1
    return values[first + 1 :]


def _candidates(call: Call, copied: tuple[Copied, ...], view: StageView) -> Iterator[str]:
    name = call.visit.values[call.first] if call.first < len(call.visit.values) else ""
    if call.name in SHELLS | {".", "source"}:
        name = next((one for one in call.arguments if not one.startswith("-")), "")
    if not name or UNKNOWN in name or (_SYSTEM.match(name) and not name.endswith(".sh") and not copied):
        return
    instruction = call.instruction
    directory = working_directory(view, instruction) if instruction is not None else "/"
    yield from context_paths(posixpath.normpath(posixpath.join(directory, name)), copied)
