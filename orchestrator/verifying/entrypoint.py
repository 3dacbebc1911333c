"""Finds what a container runtime would execute: the entry point, what it starts in turn, and every interpreter."""

from __future__ import annotations

from dataclasses import dataclass, replace

from orchestrator.verifying.binary import Binary
from orchestrator.verifying.command_lines import (
    is_readable,
    name_of,
    programs,
    script_target,
    shell_command,
    shell_script,
    unwrapped,
)
from orchestrator.verifying.configuration import ImageConfig
from orchestrator.verifying.filesystem import FileMap, Found
from orchestrator.verifying.libraries import Linker, Linking
from orchestrator.verifying.node import NodeKind, Script

DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_MOST_STEPS, _DEEPEST = 40, 8


@dataclass(frozen=True, slots=True)
class Step:
    """One program that is executed, or would be if it were there.

    `role` says why, as in "the entry point" or "the interpreter of /app/run". `is_certain`: the container cannot work
    without it; else it stands in a script that may take another way. `reason` says why it cannot be executed.
    """

    name: str
    role: str
    found: Found
    is_certain: bool = True
    is_health_check: bool = False
    is_interpreter: bool = False
    reason: str = ""
    linking: Linking | None = None

    @property
    def path(self) -> str:
        """The real path, or the name where nothing was found."""
        return f"/{self.found.path}" if self.found.node else self.name

    @property
    def binary(self) -> Binary | None:
        """The ELF file that it is, if it is one."""
        detail = self.found.node.detail if self.found.node else None
        return detail if isinstance(detail, Binary) else None


def trace(config: ImageConfig, files: FileMap) -> tuple[Step, ...]:
    """The steps from the entry point and from the health check, each program once."""
    tracer = _Tracer(config, files)
    words = config.entrypoint + config.command
    role = "the entry point" if config.entrypoint else "the command"
    tracer.run(words, role, is_certain=True)
    entry_steps = tracer.steps
    tracer.steps = []
    tracer.health_check(config.healthcheck)
    health = [replace(step, is_health_check=True) for step in tracer.steps]
    seen: dict[str, Step] = {}
    for step in (*entry_steps, *health):
        seen.setdefault(step.path, step)
    return tuple(seen.values())


class _Tracer:
    """Follows command lines through the file system of one image."""

    def __init__(self, config: ImageConfig, files: FileMap) -> None:
        self._environment = dict(config.environment)
        self._folder = config.working_directory or "/"
        self._files = files
        self._linker = Linker(files, self._environment)
        self._depth = 0
        self.steps: list[Step] = []

    def health_check(self, test: tuple[str, ...]) -> None:
        """HEALTHCHECK's test: a command, a line for the shell, or nothing."""
        if test[:1] == ("CMD",):
            self.run(test[1:], "the health check", is_certain=True)
        elif test[:1] == ("CMD-SHELL",) and len(test) > 1:
            self.run(("/bin/sh", "-c", test[1]), "the health check's shell", is_certain=True)

    def run(self, words: tuple[str, ...], role: str, *, is_certain: bool) -> None:
        """Add the steps of a command line."""
        if not words or len(self.steps) >= _MOST_STEPS or self._depth >= _DEEPEST:
            return
        step = self._step(words[0], role, is_certain=is_certain)
        self.steps.append(step)
        if step.found.node is None:
            return
        self._depth += 1
        self._follow(step, words)
        self._depth -= 1

    def _follow(self, step: Step, words: tuple[str, ...]) -> None:
        detail = step.found.node.detail if step.found.node else None
        if isinstance(detail, Script):
            self._script(step.path, detail, words[1:], is_certain=step.is_certain)
        elif inner := unwrapped(words):
            self._inner(inner, f"the program behind {name_of(words[0])}", is_certain=step.is_certain)
        elif line := shell_command(words):
            self._shell_line(line, is_certain=step.is_certain)
        elif inner := shell_script(words):
            self._shell_script(inner, is_certain=step.is_certain)

    def _inner(self, words: tuple[str, ...], role: str, *, is_certain: bool) -> None:
        if is_readable(words[0]):
            self.run(words, role, is_certain=is_certain)

    def _shell_line(self, line: str, *, is_certain: bool) -> None:
        commands, is_only_one = programs(line)
        for command in commands:
            role = f"a command of the shell line {line[:60]!r}"
            self._inner(command, role, is_certain=is_certain and is_only_one)

    def _shell_script(self, words: tuple[str, ...], *, is_certain: bool) -> None:
        """A script that a shell is told to read: it needs neither a first line nor the right to be executed."""
        found = self._files.find(words[0], self._folder)
        if found.node is None or found.node.kind is not NodeKind.FILE:
            reason = found.reason or "is no file"
            self.steps.append(Step(words[0], "the shell's script", found, is_certain, reason=reason))
        elif isinstance(found.node.detail, Script):
            self._runs(found.node.detail, words[1:], f"/{found.path}")

    def _script(self, path: str, script: Script, arguments: tuple[str, ...], *, is_certain: bool) -> None:
        self._interpreter(path, script.interpreter, is_certain=is_certain)
        self._runs(script, arguments, path)

    def _runs(self, script: Script, arguments: tuple[str, ...], path: str) -> None:
        for run in script.runs:
            target = script_target(run, arguments)
            if target and name_of(target[0]) != name_of(path):
                self._inner(target, f"what {path} executes", is_certain=False)

    def _interpreter(self, path: str, interpreter: tuple[str, ...], *, is_certain: bool) -> None:
        """The program of a script's first line; `env` looks for another one, and a script has an interpreter again."""
        role = f"the interpreter of {path}"
        step = replace(self._step(interpreter[0], role, is_certain=is_certain), is_interpreter=True)
        self.steps.append(step)
        words = (interpreter[0], *(" ".join(interpreter[1:]).split()))
        inner = unwrapped(words)
        if inner and step.found.node is not None and is_readable(inner[0]):
            self.steps.append(replace(self._step(inner[0], role, is_certain=is_certain), is_interpreter=True))
            step = self.steps[-1]
        detail = step.found.node.detail if step.found.node else None
        if isinstance(detail, Script) and self._depth < _DEEPEST:
            self._depth += 1
            self._interpreter(step.path, detail.interpreter, is_certain=is_certain)
            self._depth -= 1

    def _step(self, name: str, role: str, *, is_certain: bool) -> Step:
        found = self._look_up(name)
        step = Step(name, role, found, is_certain, reason=_why_not(found))
        if step.binary is None:
            return step
        return replace(step, linking=self._linker.link(found.path, step.binary))

    def _look_up(self, name: str) -> Found:
        """A program as execvp finds it: by its path, or in PATH."""
        if "/" in name:
            return self._files.find(name, self._folder)
        refused = Found(name, reason=f"{name} is not in PATH ({self._path()})")
        for folder in self._path().split(":"):
            found = self._files.find(f"{folder or self._folder}/{name}")
            if found.node is not None and found.node.is_executable:
                return found
            if found.node is not None and found.node.kind is NodeKind.FILE:
                refused = found
        return refused

    def _path(self) -> str:
        return self._environment.get("PATH") or DEFAULT_PATH


def _why_not(found: Found) -> str:
    if found.node is None:
        return found.reason
    if found.node.kind is not NodeKind.FILE:
        return f"/{found.path} is no file"
    if not found.node.is_executable:
        return f"/{found.path} may not be executed (mode {found.node.mode:o})"
    return ""
