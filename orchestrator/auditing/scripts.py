"""Scripts of the build context that a Dockerfile copies or mounts and then runs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from orchestrator.auditing.call import Call, calls_of
from orchestrator.auditing.runs import Run, placed
from orchestrator.auditing.shell.commands import SHELLS
from orchestrator.auditing.shell.machine import UNKNOWN
from orchestrator.auditing.stages import StageView
from orchestrator.auditing.texts import language_of_script
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.graph import mount_options
from orchestrator.dockerfile.instruction import Instruction
from orchestrator.dockerfile.lexer import ExpansionError, expand

MOST_SCRIPTS = 50
_MAYBE_SCRIPT = re.compile(r"\.(?:sh|bash)\b|(?:^|[\s;&|\"'])(?:\.{1,2}/|/)[\w./-]+|\b(?:source|bash|sh)\s")
_SYSTEM = re.compile(r"/(?:usr/)?s?bin/|/etc/|/var/|/proc/")


@dataclass(frozen=True, slots=True)
class _Copied:
    """A path of the image, and the path of the build context that is there."""

    target: str
    source: str


def called_scripts(
    stages: tuple[StageView, ...], runs: tuple[Run, ...], read: Callable[[str], str | None]
) -> Iterator[Run]:
    """The scripts, each once, followed with the variables of the first call on each platform."""
    found: dict[str, Run] = {}
    missing: set[str] = set()
    for view in stages:
        copied = list(_copied_before(view, stages))
        for run in runs:
            if run.stage != view.stage.index or not _MAYBE_SCRIPT.search(run.source.text):
                continue
            for call in calls_of(run):
                for path in _candidates(call, _at(run, copied, view), view):
                    _add(path, call, found, missing, read)
    yield from found.values()


def _at(run: Run, copied: list[tuple[int, _Copied]], view: StageView) -> list[_Copied]:
    """What is there when an instruction runs: copied above it, or mounted by it."""
    instruction = run.instruction
    line = instruction.line if instruction is not None else 0
    mounted = list(_mounted(instruction)) if instruction is not None else []
    return [*mounted, *(one for at, one in reversed(copied) if at < line or at == 0 or view.stage.line > at)]


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


def _candidates(call: Call, copied: list[_Copied], view: StageView) -> Iterator[str]:
    name = call.visit.values[call.first] if call.first < len(call.visit.values) else ""
    if call.name in SHELLS | {".", "source"}:
        name = next((one for one in call.arguments if not one.startswith("-")), "")
    if not name or UNKNOWN in name or (_SYSTEM.match(name) and not name.endswith(".sh") and not copied):
        return
    instruction = call.instruction
    directory = _directory(view, instruction) if instruction is not None else "/"
    wanted = posixpath.normpath(posixpath.join(directory, name))
    for one in copied:
        if wanted == one.target:
            yield one.source
            return
        prefix = one.target.rstrip("/") + "/"
        if wanted.startswith(prefix):
            yield posixpath.normpath(posixpath.join(one.source, wanted[len(prefix) :]))


def _copied_before(view: StageView, stages: tuple[StageView, ...]) -> Iterator[tuple[int, _Copied]]:
    """What COPY and ADD of the stage, and of those that it is built from, bring from the build context."""
    for base in sorted({one.base for one in view.resolved.values() if isinstance(one.base, int)}):
        if base < view.stage.index:
            yield from _copied_before(stages[base], stages)
    for instruction in view.stage.instructions:
        if instruction.keyword in {"COPY", "ADD"} and instruction.flag("from") is None and not instruction.heredocs:
            directory = _directory(view, instruction)
            yield from ((instruction.line, one) for one in _copied(instruction, directory))


def _copied(instruction: Instruction, directory: str) -> Iterator[_Copied]:
    *sources, target = [word.text.strip("\"'") for word in instruction.words]
    base = posixpath.normpath(posixpath.join(directory, target))
    is_folder = target.endswith(("/", "/.")) or target in {".", "./"} or len(sources) > 1
    for source in sources:
        clean = posixpath.normpath(source.lstrip("/") or ".")
        if "://" in source or "$" in source or "*" in source:
            folder = posixpath.dirname(clean)
            if "*" in source and "://" not in source:
                yield _Copied(base, folder or ".")
            continue
        if is_folder:
            yield _Copied(posixpath.join(base, posixpath.basename(clean)), clean)
        yield _Copied(base, clean)


def _mounted(instruction: Instruction) -> Iterator[_Copied]:
    for flag in instruction.flags:
        options = mount_options(flag.value) if flag.name == "mount" else {}
        target = options.get("target") or options.get("dst") or options.get("destination") or ""
        if options.get("type") == "bind" and target and not options.get("from"):
            source = options.get("source") or options.get("src") or "."
            yield _Copied(
                posixpath.normpath(posixpath.join("/", target)), posixpath.normpath(source.lstrip("/") or ".")
            )


def _directory(view: StageView, instruction: Instruction) -> str:
    """The working directory of an instruction."""
    directory = "/"
    platform = next(iter(view.resolved), None)
    for one in view.stage.instructions:
        if one is instruction:
            break
        if one.keyword == "WORKDIR" and one.words:
            text = one.words[0].text
            if platform is not None and "$" in text:
                text = _expanded(text, view, one, platform)
            directory = posixpath.normpath(posixpath.join(directory, text))
    return directory


def _expanded(text: str, view: StageView, instruction: Instruction, platform: Platform) -> str:
    try:
        return expand(text, view.outside(instruction, platform)).text
    except ExpansionError:
        return text
