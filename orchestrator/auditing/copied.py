"""Which files of the build context are where in an image while a Dockerfile runs."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from orchestrator.auditing.runs import Run
from orchestrator.auditing.stages import StageView
from orchestrator.core.platform import Platform
from orchestrator.dockerfile.graph import mount_options
from orchestrator.dockerfile.instruction import Instruction
from orchestrator.dockerfile.lexer import ExpansionError, expand


@dataclass(frozen=True, slots=True)
class Copied:
    """A path of the image, and the path of the build context that is there."""

    target: str
    source: str


def copied_at(run: Run, stages: tuple[StageView, ...]) -> tuple[Copied, ...]:
    """What is there when a text of a stage runs: mounted by its instruction, or copied above it, latest first."""
    view = stages[run.stage]
    copied = list(_copied_before(view, stages))
    instruction = run.instruction
    line = instruction.line if instruction is not None else 0
    mounted = list(_mounted(instruction)) if instruction is not None else []
    return (*mounted, *(one for at, one in reversed(copied) if at < line or at == 0 or view.stage.line > at))


def context_paths(path: str, copied: Iterable[Copied]) -> Iterator[str]:
    """The paths of the build context that may be at an absolute path of the image, best first."""
    for one in copied:
        if path == one.target:
            yield one.source
            return
        prefix = one.target.rstrip("/") + "/"
        if path.startswith(prefix):
            yield posixpath.normpath(posixpath.join(one.source, path[len(prefix) :]))


def _copied_before(view: StageView, stages: tuple[StageView, ...]) -> Iterator[tuple[int, Copied]]:
    """What COPY and ADD of the stage, and of those that it is built from, bring from the build context."""
    for base in sorted({one.base for one in view.resolved.values() if isinstance(one.base, int)}):
        if base < view.stage.index:
            yield from _copied_before(stages[base], stages)
    for instruction in view.stage.instructions:
        if instruction.keyword in {"COPY", "ADD"} and instruction.flag("from") is None and not instruction.heredocs:
            directory = working_directory(view, instruction)
            yield from ((instruction.line, one) for one in _copied(instruction, directory))


def _copied(instruction: Instruction, directory: str) -> Iterator[Copied]:
    *sources, target = [word.text.strip("\"'") for word in instruction.words]
    base = posixpath.normpath(posixpath.join(directory, target))
    is_folder = target.endswith(("/", "/.")) or target in {".", "./"} or len(sources) > 1
    for source in sources:
        clean = posixpath.normpath(source.lstrip("/") or ".")
        if "://" in source or "$" in source or "*" in source:
            folder = posixpath.dirname(clean)
            if "*" in source and "://" not in source:
                yield Copied(base, folder or ".")
            continue
        if is_folder:
            yield Copied(posixpath.join(base, posixpath.basename(clean)), clean)
        yield Copied(base, clean)


def _mounted(instruction: Instruction) -> Iterator[Copied]:
    for flag in instruction.flags:
        options = mount_options(flag.value) if flag.name == "mount" else {}
        target = options.get("target") or options.get("dst") or options.get("destination") or ""
        if options.get("type") == "bind" and target and not options.get("from"):
            source = options.get("source") or options.get("src") or "."
            yield Copied(posixpath.normpath(posixpath.join("/", target)), posixpath.normpath(source.lstrip("/") or "."))


def working_directory(view: StageView, instruction: Instruction) -> str:
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
