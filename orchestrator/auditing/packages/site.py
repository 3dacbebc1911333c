"""Where a package manager is called: the stage, the platforms, the files that are there, and the surroundings."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from orchestrator.auditing.call import Call, calls_of
from orchestrator.auditing.context import Context
from orchestrator.auditing.copied import Copied, context_paths, copied_at, working_directory
from orchestrator.auditing.packages.bases import environment_of
from orchestrator.auditing.packages.environment import Environment
from orchestrator.auditing.runs import Run
from orchestrator.auditing.shell.machine import UNKNOWN
from orchestrator.core.packages import Place
from orchestrator.core.platform import Platform

_MANAGERS = re.compile(r"\b(?:pip[\d.]*|uv|poetry|pipenv|apt|apt-get|aptitude|apk|npm|yarn|pnpm)\s")
_PYTHON_PROGRAM = re.compile(r"(?:pip|python)(3\.\d{1,2})$")
_PYTHON_PACKAGE = re.compile(r"python(3\.\d{1,2})(?:-\w+)?$")
_VERSION = re.compile(r"(?:cpython-?|python)?(3\.\d{1,2})\b")


VariablesOf = Callable[[str], Mapping[str, str]]
"""The variables in the configuration of an image."""


@dataclass(frozen=True, slots=True)
class Site:
    """A call as it is on some platforms, all of which give it the same words.

    `directory` is where it runs, `copied` what of the build context is in the image then.
    """

    context: Context
    call: Call
    platforms: tuple[Platform, ...]
    values: tuple[str, ...]
    environment: Environment
    directory: str
    copied: tuple[Copied, ...]

    @property
    def program(self) -> str:
        """The program without its folder; `pip` also for `python -m pip`."""
        return "pip" if self._is_module else re.sub(r"^pip3?[\d.]*$", "pip", self.call.name)

    @property
    def arguments(self) -> tuple[str, ...]:
        """The words behind the program."""
        return self.values[self.call.first + (3 if self._is_module else 1) :]

    @property
    def _is_module(self) -> bool:
        return self.call.name.startswith("python") and self.values[self.call.first + 1 :][:2] == ("-m", "pip")

    @property
    def place(self) -> Place:
        """The place of the program's name."""
        word = self.call.word
        return Place(self.call.path or self.context.path, word.line, word.column, word.end_line, word.end_column)

    def place_of(self, text: str) -> Place:
        """The place of a word of the call; that of the program where the word is not written as it is."""
        for word in self.call.words:
            if word.text.strip("\"'") == text:
                path = self.call.path or self.context.path
                return Place(path, word.line, word.column, word.end_line, word.end_column)
        return self.place

    def written(self, text: str) -> str:
        """A word of the call as it is written, quotes included; empty where it is not written as it is."""
        return next((word.text for word in self.call.words if word.text.strip("\"'") == text), "")

    def paths(self, name: str) -> Iterator[str]:
        """The files of the build context that may be what the call knows by that name."""
        wanted = posixpath.normpath(posixpath.join(self.directory, name))
        yield from context_paths(wanted, self.copied)

    def find(self, name: str) -> tuple[str, str] | None:
        """The path in the build context and the text of a file that the call knows by that name."""
        for path in self.paths(name):
            text = self.context.read_script(path)
            if text is not None:
                return path, text
        return None


def variable(call: Call, name: str) -> str:
    """A variable that a call sees: set in its text, or by ARG and ENV; empty where it is not known."""
    platform = call.platforms[0]
    value = call.environment.get(name) or call.run.outside[platform](name) or ""
    return "" if UNKNOWN in value else value


def sites(context: Context, variables_of: VariablesOf) -> Iterator[Site]:
    """All calls of package managers while the image is built, in the order of the file."""
    for run in (*context.runs, *context.scripts):
        if run.stage < 0 or run.is_start or not _MANAGERS.search(run.source.text):
            continue
        view = context.stages[run.stage]
        directory = working_directory(view, run.instruction) if run.instruction is not None else "/"
        copied = copied_at(run, context.stages)
        where = directory
        for call in calls_of(run):
            if call.name == "cd" and call.arguments and UNKNOWN not in call.arguments[0]:
                where = posixpath.normpath(posixpath.join(where, call.arguments[0]))
            for platforms, values in _alike(call):
                environment = _environment(context, run, call, (platforms[0], variables_of))
                yield Site(context, call, platforms, values, environment, where, copied)


def _alike(call: Call) -> list[tuple[tuple[Platform, ...], tuple[str, ...]]]:
    groups: dict[tuple[str, ...], tuple[Platform, ...]] = {}
    for platform, visit in call.visits.items():
        groups[visit.values] = (*groups.get(visit.values, ()), platform)
    return [(platforms, values) for values, platforms in groups.items()]


def _environment(context: Context, run: Run, call: Call, of: tuple[Platform, VariablesOf]) -> Environment:
    platform, variables_of = of
    image = base_image(context, run.stage, platform)
    found = environment_of(image)
    version = _named_python(call) or (_installed_python(context, run.stage) if _guesses_python(found) else "")
    if not version and image and any(one.startswith("Python") for one in found.assumed):
        version = minor_version(variables_of(image).get("PYTHON_VERSION", ""))
    if not version:
        return found
    assumed = tuple(one for one in found.assumed if not one.startswith("Python"))
    return replace(found, python=version, assumed=assumed)


def minor_version(text: str) -> str:
    """`3.12` of `3.12.4`; empty for what is no version of Python 3."""
    match = re.match(r"3\.\d{1,2}(?!\d)", text)
    return match[0] if match else ""


def _guesses_python(environment: Environment) -> bool:
    return bool(environment.assumed) or environment.distribution not in {"", "alpine"}


def base_image(context: Context, stage: int, platform: Platform) -> str:
    """The external image that a stage begins with; empty where it is not known."""
    seen: set[int] = set()
    base: int | str = stage
    while isinstance(base, int) and base not in seen:
        seen.add(base)
        base = context.stages[base].resolved[platform].base
    return base if isinstance(base, str) else ""


def _named_python(call: Call) -> str:
    """The version that the call itself names: `pip3.12`, `--python 3.12`, `UV_PYTHON`."""
    if match := _PYTHON_PROGRAM.match(call.name):
        return match[1]
    for word, following in pairwise((*call.arguments, "")):
        value = following if word in {"--python", "-p"} else word.partition("=")[2]
        if word.partition("=")[0] in {"--python", "-p"} and (match := _VERSION.search(value)):
            return match[1]
    match = _VERSION.search(variable(call, "UV_PYTHON"))
    return match[1] if match else ""


def _installed_python(context: Context, stage: int) -> str:
    """The interpreter that the stage installs: `uv python install 3.12`, `apt-get install python3.12`."""
    for run in context.runs:
        if run.stage != stage or "python" not in run.source.text:
            continue
        for call in calls_of(run):
            if call.name == "uv" and call.arguments[:1] in {("python",), ("venv",)}:
                found = [match for word in call.arguments[1:] if (match := _VERSION.fullmatch(word))]
            elif call.name in {"apt-get", "apt", "apk"}:
                found = [match for word in call.arguments if (match := _PYTHON_PACKAGE.match(word))]
            else:
                found = []
            if found:
                return found[0][1]
    return ""
