"""Scripts of the build context that a Dockerfile copies or mounts and then runs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

from orchestrator.auditing.call import Call, calls_of
from orchestrator.auditing.copied import context_paths, copied_at, working_directory
from orchestrator.auditing.runs import Run, placed
from orchestrator.auditing.shell.commands import SHELLS
from orchestrator.auditing.shell.machine import UNKNOWN
from orchestrator.auditing.stages import StageView
from orchestrator.auditing.texts import language_of_script
from orchestrator.core.platform import Platform

MOST_SCRIPTS = 50
LARGEST = 1024 * 1024
"""Characters of the largest script that is looked into."""
_MAYBE_SCRIPT = re.compile(
    r"\.(?:sh|bash)\b|\b(?:source|bash|sh)\s+[\w./\"']|(?:^|[;&|({]|\b(?:then|do|else|sudo|env|exec))\s*\.{0,2}/[\w.-]+"
    r"|(?:^|[;&|])\s*\.\s+[\w./]"
)
_SYSTEM = re.compile(r"/(?:usr/)?(?:local/)?s?bin/|/etc/|/var/|/proc/|/opt/(?:venv|conda)/")


def called_scripts(
    stages: tuple[StageView, ...], runs: tuple[Run, ...], read: Callable[[str], str | None]
) -> Iterator[Run]:
    """The scripts, each once, followed with the variables of the first call on each platform; also those they call."""
    found: dict[str, Run] = {}
    missing: set[str] = set()
    waiting = [run for run in reversed(runs) if run.stage >= 0]
    while waiting:
        run = waiting.pop()
        if not _MAYBE_SCRIPT.search(run.source.text):
            continue
        for path, call in _called(stages[run.stage], stages, run):
            if _add(path, call, found, missing, read):
                waiting.append(found[path])
    yield from found.values()


def _called(view: StageView, stages: tuple[StageView, ...], run: Run) -> Iterator[tuple[str, Call]]:
    named = [(call, name) for call in calls_of(run) if (name := _named(call))]
    if not named:
        return
    here = copied_at(run, stages)
    directory = working_directory(view, run.instruction) if run.instruction is not None else "/"
    for call, name in named:
        for path in context_paths(posixpath.normpath(posixpath.join(directory, name)), here):
            yield path, call


def _add(path: str, call: Call, found: dict[str, Run], missing: set[str], read: Callable[[str], str | None]) -> bool:
    """Take a script in; tells whether it is a new one."""
    if path in missing or len(found) >= MOST_SCRIPTS:
        return False
    is_new = path not in found
    if is_new:
        text = read(path)
        if text is None or "\0" in text or len(text) > LARGEST:
            missing.add(path)
            return False
        language = language_of_script(text)
        found[path] = Run(placed(text), language, {}, call.instruction, call.run.stage, path)
    run = found[path]
    outside = dict(run.outside)
    for platform in call.platforms:
        outside.setdefault(platform, _variables(call, platform))
    run.outside = outside
    run.calls = ()
    return is_new


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


def _named(call: Call) -> str:
    """The script that a command runs, as it names it; empty for programs."""
    name = call.visit.values[call.first] if call.first < len(call.visit.values) else ""
    if call.name in SHELLS | {".", "source"}:
        name = next((one for one in call.arguments if not one.startswith("-")), "")
    elif "/" not in name and not name.endswith((".sh", ".bash")):
        return ""
    is_program = _SYSTEM.match(name) and not name.endswith((".sh", ".bash"))
    return "" if UNKNOWN in name or (is_program and "local" not in name) else name
